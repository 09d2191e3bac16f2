import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { format, resolveConfig } from 'prettier'
import { commandGroups } from '../../../server/commands/commands.js'
import { EXIT } from '../../../clients/cli/console.js'
import { clientVariables } from '../../../server/settings/client-variables.js'

const path = 'docs/reference/cli.md'
const HEADING = '## All commands\n'

/** The table of the commands, as people find them in the help. */
const commandTable = (): string =>
  [
    '| Command | What it does |\n| --- | --- |',
    ...Object.values(commandGroups).flatMap(entries =>
      Object.entries(entries)
        .filter(([, { isHidden }]) => isHidden !== true)
        .map(([name, { summary }]) => `| \`annals ${name}\` | ${summary} |`)
    )
  ].join('\n')

test('docs/reference/cli.md has every command, with what it does', async t => {
  const before = readFileSync(path, 'utf8')
  const [text = ''] = before.split(HEADING)
  const page = await format(`${text}${HEADING}\n${commandTable()}\n`, {
    ...(await resolveConfig(path)),
    parser: 'markdown'
  })
  if (process.env['ANNALS_TEST_WRITE_DOCS'] !== undefined) writeFileSync(path, page)
  t.is(readFileSync(path, 'utf8'), page)
})

test('docs/reference/cli.md has every variable and every exit code', t => {
  const page = readFileSync(path, 'utf8')
  for (const { name } of Object.values(clientVariables)) t.true(page.includes(`\`ANNALS_${name}\``), name)
  for (const code of Object.values(EXIT)) t.regex(page, new RegExp(`^\\| ${code} +\\|`, 'm'))
})
