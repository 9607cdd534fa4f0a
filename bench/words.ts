import { Random, ZipfTable } from './random.js'

/** The terms of the search measurement, and how often the generator uses them. */
export const SEARCHED = {
  /** In one of 20,000 messages. */
  rare: 'quixotry',
  /** One of the most frequent words. */
  common: 'deploy',
  /** In one of 200 messages; each of its words also occurs alone. */
  phrase: 'release candidate',
  /** In few of the Chinese messages, which are one in 50. */
  twoCharacters: '回滚',
  /** In no message. */
  twoCharactersNever: '鲸鱼',
  /** Trigrams that hardly occur. */
  never: 'zugzwangful',
  /** Made of trigrams that are all common. */
  neverOfCommonParts: 'statesterday',
} as const

const COMMON = `the to a and of in is it for on that this we with be not are was have i you as at but
deploy can if from by an will or all so now has do test build server after just when there which what one no
please should more about state release today yesterday tests works file out up system new some same would who
could first again still time page fixed works error see update queue branch merged review failed open request
change code user step log data error thanks than only then been where after job version latest before other also
run name issue list limit retry index store reader cluster cache token client worker config backup number restart
candidate table because very good check main looks add added removed small large fast slow night morning week
customer ticket meeting report numbers metrics graph alert noise disk memory network latency percent percentile`

const CHINESE = `我们 今天 的 服务 已经 部署 完成 测试 请 查看 日志 问题 更新 数据 文档 没有 可以 明天 会议 用户 系统 发布
错误 修复 版本 时间 需要 检查 代码 分支 合并 缓存 队列 监控 报警 磁盘 网络 延迟 备份 恢复 回滚 谢谢`

const ONSETS = 'b b br c c ch cl d d dr f f fl g g gr h h j k l l m m n n p p pl qu r r s s sh sp st str t t th v w'
const NUCLEI = 'a a e e e i i o o u ai ea ee ie oa ou'
const CODAS = ['', '', '', '', '', '', 'n', 'r', 's', 't', 'l', 'm', 'ck', 'nd', 'nt', 'rd', 'st', 'ng']
const ENDINGS = ['', '', '', '', '', '', 's', 'ed', 'ing', 'er', 'ly', 'ion', 'able']
const MADE_WORDS = 12_000

/** Text like messages between people at work: English words by Zipf's law, and a little Chinese. */
export class Talk {
  readonly #english: ZipfTable<string>
  readonly #chinese: ZipfTable<string>

  constructor() {
    const common = new Set(COMMON.split(/\s+/))
    this.#english = new ZipfTable([...new Set([...common, ...madeWords()])])
    this.#chinese = new ZipfTable(CHINESE.split(/\s+/))
  }

  message(random: Random, words: number): string {
    if (random.happens(1 / 50)) return `${this.#chineseClause(random, words)}。`
    const said = this.#words(random, words)
    if (random.happens(1 / 200)) said.splice(random.below(said.length), 0, SEARCHED.phrase)
    if (random.happens(1 / 20_000)) said.splice(random.below(said.length), 0, SEARCHED.rare)
    return `${capitalised(said.join(' '))}.`
  }

  title(random: Random): string {
    return this.#words(random, 3 + random.below(4)).join(' ')
  }

  #words(random: Random, count: number): string[] {
    return Array.from({ length: count }, () => this.#english.draw(random))
  }

  #chineseClause(random: Random, words: number): string {
    return Array.from({ length: words }, () => this.#chinese.draw(random)).join('')
  }
}

function madeWords(): string[] {
  const random = new Random(0x5eed)
  const onsets = ONSETS.split(' ')
  const nuclei = NUCLEI.split(' ')
  const syllable = () => random.pick(onsets) + random.pick(nuclei) + random.pick(CODAS)
  return Array.from({ length: MADE_WORDS }, () => {
    const syllables = Array.from({ length: random.happens(0.3) ? 1 : 2 }, syllable)
    return syllables.join('') + random.pick(ENDINGS)
  })
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
