import type { ExecutorStatus } from '#model/board/run'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { boardApi } from '../place.js'
import { ExecutionDialog, useExecution } from './execution-dialog.js'
import { type Execution, whyTokens } from './executor-token.js'
import { executor, setExecutor } from './runs.js'

/** The executor's current work, and a button to pause it. */
export function ExecutorBar() {
  const status = executor.value
  const doPause: Execution<ExecutorStatus> = headers =>
    boardApi(executor.value?.paused ? '/executor/resume' : '/executor/pause', { method: 'POST', headers })
  const { start, isAsking, onClose } = useExecution(doPause, setExecutor)
  if (!status || !(status.real || status.paused || status.running !== null || status.queued > 0)) return null
  const { paused, running, queued } = status
  const name = paused ? 'Resume' : 'Pause'
  return html`<div class="executor-bar row" role="group" aria-label="Executor">
    <span class="quiet-text">Executor</span>
    ${
      paused
        ? html`<span class="run-badge is-warn"><${Glyph} name="pause" class="small" />paused</span>`
        : running !== null && html`<span class="run-badge is-accent"><span class="run-dot"></span>running 1</span>`
    }
    ${!paused && running === null && html`<span class="quiet-text">idle</span>`}
    ${queued > 0 && html`<span class="quiet-text">queue ${queued}</span>`}
    <button type="button" class="button" onClick=${() => void start()}>
      <${Glyph} name=${paused ? 'play' : 'pause'} />${name}
    </button>
    ${
      isAsking &&
      html`<${ExecutionDialog} title=${`${name} the executor?`} action=${name} run=${doPause}
        onDone=${setExecutor} onClose=${onClose}>
        ${paused ? 'Queued runs start again.' : 'No further run starts; the current one continues.'}
        ${' '}${whyTokens()}
      <//>`
    }
  </div>`
}
