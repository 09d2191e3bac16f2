// Terminal transcripts: command lines, and their output with placeholders for varying texts.
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'shell-quote'
import { annals, type CommandExit } from './command-line.js'

/**
 * One command line of a transcript, in the format:
 *
 *     # What is shown.
 *     $ annals kv put a - <<END          input of the first command, up to the line END
 *     text
 *     END
 *     Success! Data written to: a
 *     $ annals kv get b | cat > <folder>/b.txt
 *     annals: Key "b" does not exist
 *     [1]                                the exit code, unless it is 0
 *
 * In the expected output `<any>` matches any text of a line, and `<name>` a text without blanks, which it stands for from there on, also in
 * command lines. A line `<...>` matches any lines, and two blanks match two or more. Comments and empty lines before the next command line
 * are ignored.
 */
interface Step {
  /** Line in the file, from 1. */
  readonly line: number
  readonly command: string
  readonly input: string
  readonly expected: string
}

/** Removes trailing empty lines and comments. */
const withoutNotes = (lines: readonly string[]): string => {
  const last = lines.findLastIndex(line => line !== '' && !line.startsWith('# '))
  return lines.slice(0, last + 1).join('\n')
}

const HERE = /\s*<<(\w+)$/

export const stepsOf = (text: string): readonly Step[] => {
  const lines = text.split('\n')
  const steps: Step[] = []
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []))
  for (const [place, start] of starts.entries()) {
    const own = lines.slice(start + 1, starts[place + 1])
    const command = (lines[start] ?? '').slice(2)
    const end = HERE.exec(command)?.[1]
    const length = end === undefined ? 0 : own.indexOf(end) + 1
    steps.push({
      line: start + 1,
      command: command.replace(HERE, ''),
      input: own
        .slice(0, Math.max(0, length - 1))
        .map(each => `${each}\n`)
        .join(''),
      expected: withoutNotes(own.slice(length))
    })
  }
  return steps
}

const HOLE = /<([a-z][a-z0-9]*)>/g

/** The state of a running transcript: the environment, and the values of placeholders. */
export class TranscriptRun {
  readonly #env: Record<string, string>
  readonly #known: Map<string, string>

  constructor(env: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>) {
    this.#env = { ...env }
    this.#known = new Map(Object.entries(known))
  }

  /** Values of placeholders. */
  get known(): ReadonlyMap<string, string> {
    return this.#known
  }

  /** Runs one command line. @returns its output in a terminal, followed by the exit code of the last command */
  async run({ command, input }: Step): Promise<string> {
    const words = parse(this.#filled(command), this.#env)
    let text = this.#filled(input)
    let shown = ''
    let code = 0
    for (const { args, toFile } of pipeline(words)) {
      const ended = await this.#one(args, text)
      text = ended.output
      shown += ended.errors
      code = ended.code
      if (toFile !== undefined) {
        writeFileSync(toFile, text)
        text = ''
      }
    }
    return `${text}${shown}${code === 0 ? '' : `[${code}]`}`.trimEnd()
  }

  /** Compares the output with the expectation, and stores the values of placeholders. */
  matches(expected: string, shown: string): boolean {
    const names: string[] = []
    const pattern = expected
      .split('\n')
      .map(line => (line === '<...>' ? String.raw`(?:\n.*)*?` : `\n${this.#patternOf(line, names)}`))
      .join('')
    const found = new RegExp(`^${pattern}$`).exec(`\n${shown}`)
    if (!found) return false
    for (const [place, name] of names.entries()) this.#known.set(name, found[place + 1] ?? '')
    return true
  }

  #patternOf(line: string, names: string[]): string {
    return line
      .split(/(<[a-z][a-z0-9]*>)/)
      .map(part => {
        const name = /^<([a-z][a-z0-9]*)>$/.exec(part)?.[1]
        if (name === 'any') return '.*?'
        if (name === undefined) return escaped(part).replaceAll(/(?<=\S) {2,}/g, ' {2,}')
        const known = this.#known.get(name)
        if (known !== undefined) return escaped(known)
        if (names.includes(name)) return `\\${names.indexOf(name) + 1}`
        names.push(name)
        return '(\\S+?)'
      })
      .join('')
  }

  #filled(text: string): string {
    return text.replaceAll(HOLE, (hole, name: string) => this.#known.get(name) ?? hole)
  }

  async #one([program = '', ...args]: readonly string[], input: string): Promise<CommandExit> {
    const done = (output: string): CommandExit => ({ code: 0, output, errors: '' })
    switch (program) {
      case 'annals':
        return await annals(args, this.#env, input)
      case 'echo':
        return done(`${args.join(' ')}\n`)
      case 'cat':
        return done(args.length === 0 ? input : args.map(file => readFileSync(file, 'utf8')).join(''))
      case 'export':
        for (const each of args) {
          const [name = '', ...value] = each.split('=')
          this.#env[name] = value.join('=')
        }
        return done('')
      default:
        throw new Error(`a transcript cannot run ${program}`)
    }
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

interface Stage {
  readonly args: string[]
  toFile?: string
}

const textOf = (word: unknown): string => {
  if (typeof word === 'string') return word
  throw new Error('a transcript has > without the name of a file behind it')
}

/** Splits a line into its commands. */
const pipeline = (words: ReturnType<typeof parse>): readonly Stage[] => {
  const stages: Stage[] = [{ args: [] }]
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    const stage = stages.at(-1)
    if (word === undefined || stage === undefined) continue
    if (typeof word === 'string') stage.args.push(word)
    else if ('pattern' in word) stage.args.push(word.pattern)
    else if ('op' in word && word.op === '|') stages.push({ args: [] })
    else if ('op' in word && word.op === '>') {
      at++
      stage.toFile = textOf(words[at])
    } else throw new Error(`a transcript cannot run ${JSON.stringify(word)}`)
  }
  return stages
}
