import { useState } from 'preact/hooks'
import type { ExecutorStatus } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { boardApi } from '../place.js'
import { ExecutionDialog } from './execution-dialog.js'
import { type Execution, execute, holdsTokens, isRefusal, whyTokens } from './executor-token.js'
import { executor, setExecutor } from './runs.js'

/** The executor's current work, and a button to pause it. */
export function ExecutorBar() {
  const [isAsking, setAsking] = useState(false)
  const status = executor.value
  if (!status || !(status.real || status.paused || status.running !== null || status.queued > 0)) return null
  const { paused, running, queued } = status
  const doPause: Execution<ExecutorStatus> = headers =>
    boardApi(paused ? '/executor/resume' : '/executor/pause', { method: 'POST', headers })
  const press = async () => {
    if (!holdsTokens()) {
      setAsking(true)
      return
    }
    try {
      setExecutor(await execute(doPause))
    } catch (error) {
      if (isRefusal(error)) setAsking(true)
      else showToast({ words: reasonOf(error) })
    }
  }
  const name = paused ? 'Resume' : 'Pause'
  return html`<div class="executor-bar" role="group" aria-label="Executor">
    <span class="quiet-text">Executor</span>
    ${
      paused
        ? html`<span class="run-badge is-warn"><${Glyph} name="pause" class="small" />paused</span>`
        : running !== null && html`<span class="run-badge is-accent"><span class="run-dot"></span>running 1</span>`
    }
    ${!paused && running === null && html`<span class="quiet-text">idle</span>`}
    ${queued > 0 && html`<span class="quiet-text">queue ${queued}</span>`}
    <button type="button" class="button" onClick=${() => void press()}>
      <${Glyph} name=${paused ? 'play' : 'pause'} />${name}
    </button>
    ${
      isAsking &&
      html`<${ExecutionDialog} title=${`${name} the executor?`} action=${name} run=${doPause}
        onDone=${(next: ExecutorStatus) => setExecutor(next)} onClose=${() => setAsking(false)}>
        ${paused ? 'Queued runs start again.' : 'No further run starts; the current one continues.'}
        ${' '}${whyTokens()}
      <//>`
    }
  </div>`
}
