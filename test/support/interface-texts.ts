// The texts of the command line and of the web UI, for the rules of prose.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { parseAst } from 'rolldown/parseAst'
import type { Console } from '../../clients/cli/console.js'
import { commandGroups } from '../../server/commands/commands.js'
import { projectRoot } from './process.js'

export interface Text {
  readonly path: string
  readonly text: string
}

const textsIn = (command: Command, path: string): Text[] => [
  { path, text: command.description() },
  ...command.registeredArguments.map(({ description }) => ({ path, text: description })),
  ...command.options.map(({ description }) => ({ path, text: description })),
  ...command.commands.flatMap(each => textsIn(each, `${path} ${each.name()}`))
]

/** Returns the help of every command: descriptions of commands, arguments and flags. */
export const helpTexts = async (console: Console): Promise<Text[]> => {
  const texts: Text[] = []
  for (const [heading, entries] of Object.entries(commandGroups)) {
    texts.push({ path: 'annals', text: heading.replace(/:$/, '') })
    for (const [name, { summary, load, isHidden }] of Object.entries(entries)) {
      if (isHidden === true) continue
      const command = new Command('annals').enablePositionalOptions().command(name).description(summary)
      ;(await load())(command, console)
      texts.push(...textsIn(command, `annals ${name}`))
    }
  }
  return texts
}

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const SHOWN = new Set(['aria-label', 'label', 'placeholder', 'title', 'heading', 'text', 'hint'])

/** Returns the texts between tags and in attributes that people see. */
function* shownIn(node: unknown): Generator<string> {
  if (!isNode(node)) return
  const { type, value, name } = node
  if (type === 'JSXText' && typeof value === 'string') yield value
  if (type === 'JSXAttribute' && isNode(name) && SHOWN.has(String(name['name'])) && isNode(value)) {
    const { value: text } = value
    if (typeof text === 'string') yield text
  }
  for (const each of Object.values(node)) if (isNode(each)) yield* shownIn(each)
}

/** Returns the texts of the web UI that stand in its sources. */
export const uiTexts = (): Text[] => {
  const folder = join(projectRoot, 'clients/ui')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.tsx'))
    .flatMap(path => {
      const program = parseAst(readFileSync(join(folder, path), 'utf8'), { lang: 'tsx' })
      return [...shownIn(program)]
        .map(text => text.replaceAll(/\s+/g, ' ').trim())
        .filter(text => text !== '')
        .map(text => ({ path: `clients/ui/${path}`, text }))
    })
}
