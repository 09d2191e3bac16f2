// Rules for the texts that people read: short sentences, and one term for each concept. Passive voice is only counted.
import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import maxWords from 'textlint-rule-en-max-word-count'
import terminology from 'textlint-rule-terminology'
import writeGood from 'textlint-rule-write-good'

/** Longest sentence. */
export const MOST_WORDS = 25

/** Words that mean what the glossary has another term for, as patterns, with that term. */
export const TERMS: readonly (readonly [pattern: string, term: string])[] = [
  ['check[- ]points?', 'checkpoint'],
  ['data[- ]cent(?:re|er)s?', 'datacenter'],
  ['datacentres?', 'datacenter'],
  ['web[- ]hooks?', 'webhook'],
  ['time[- ]machine', 'time travel'],
  ['master(?: server)?s?', 'leader'],
  ['slaves?', 'follower'],
  ['roll[- ]?backs?', 'revert'],
  ['event[- ]feeds?', 'event stream']
]

/** How other projects and formats spell their names. */
const NAMES = ['etcd', 'Grafana', 'OpenAPI', 'OpenTelemetry', 'WebSocket']

const PASSIVE: TextlintKernelRule['options'] = {
  severity: 'warning',
  passive: true,
  illusion: false,
  so: false,
  thereIs: false,
  weasel: false,
  adverb: false,
  tooWordy: false,
  cliches: false,
  eprime: false
}

const rules: TextlintKernelRule[] = [
  { ruleId: 'sentence-length', rule: maxWords, options: { max: MOST_WORDS } },
  {
    ruleId: 'terminology',
    rule: terminology,
    options: { defaultTerms: false, terms: [...NAMES, ...TERMS], skip: ['BlockQuote', 'Link'] }
  },
  { ruleId: 'passive-voice', rule: writeGood.default, options: PASSIVE }
]

const kernel = new TextlintKernel()

/** Returns Markdown in which each cell of a table is a paragraph, since rules look at paragraphs only. */
const withoutTables = (text: string): string =>
  text.replaceAll(/^\|.*\|$/gm, row =>
    row
      .split(/(?<!\\)\|/)
      .filter(cell => !/^[\s:-]*$/.test(cell))
      .map(cell => `\n${cell.trim()}\n`)
      .join('\n')
  )

interface Prose {
  /** Each with the sentence or word that it is about. */
  readonly problems: readonly string[]
  /** Clauses in passive voice, which no rule forbids. */
  readonly passives: number
}

/** Checks a text in Markdown. @param path what problems begin with */
export const lintProse = async (path: string, text: string): Promise<Prose> => {
  const prose = withoutTables(text)
  const { messages } = await kernel.lintText(prose, {
    ext: '.md',
    filePath: path,
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules
  })
  const isPassive = ({ ruleId }: { readonly ruleId: string }): boolean => ruleId === 'passive-voice'
  return {
    problems: messages
      .filter(message => !isPassive(message))
      .map(
        ({ range: [start], message, ruleId }) =>
          `${path}: ${prose.slice(start, start + 90).split('\n', 1)[0]} (${ruleId}: ${message})`
      ),
    passives: messages.filter(isPassive).length
  }
}
