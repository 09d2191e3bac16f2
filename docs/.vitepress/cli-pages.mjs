// The help of each command, as pages.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { ROOT } from './links.mjs'

// Not as plain imports, since VitePress would bundle the program with its configuration.
await import('reflect-metadata')
const { commandGroups } = await import(pathToFileURL(join(ROOT, 'dist/server/commands/commands.js')).href)

const silent = { write: () => {} }

const helpOf = command => {
  let text = ''
  command.configureOutput({ writeOut: part => (text += part), getOutHelpWidth: () => 100 })
  command.outputHelp()
  return text.trimEnd()
}

const sectionsOf = (command, path, level) => [
  `${'#'.repeat(level)} \`${path}\``,
  '',
  '```text',
  helpOf(command),
  '```',
  '',
  ...command.commands
    .filter(each => each.name() !== 'help')
    .flatMap(each => sectionsOf(each, `${path} ${each.name()}`, 2))
]

const commandPage = async (name, { summary, load }) => {
  const command = new Command('annals').enablePositionalOptions().command(name).description(summary)
  const build = await load()
  build(command, { out: silent, err: silent })
  return { name, markdown: sectionsOf(command, `annals ${name}`, 1).join('\n') }
}

/** Each command with its page as Markdown. */
export const commandPages = () =>
  Promise.all(
    Object.values(commandGroups)
      .flatMap(Object.entries)
      .filter(([, { isHidden }]) => isHidden !== true)
      .map(([name, entry]) => commandPage(name, entry))
  )
