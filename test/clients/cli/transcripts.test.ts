// Plays the transcripts beside this file against real servers, one for each.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { projectRoot, temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { stepsOf, TranscriptRun } from '../../support/transcript.js'

const folder = join(projectRoot, 'test/clients/cli/transcripts')

/** `db-1` also names a node whose ID begins with `db` (state.md §6.1). */
const NODE_ID = '5b98c650-e471-433a-8fa5-6bc4e8cdbd48'

/** Keys of the configuration, where the first line of a transcript gives them. */
const configOf = (text: string): Readonly<Record<string, unknown>> =>
  JSON.parse(/^# server: (\{.*\})$/m.exec(text)?.[1] ?? '{}')

for (const name of readdirSync(folder)) {
  test(name.replace('.txt', ''), async t => {
    const text = readFileSync(join(folder, name), 'utf8')
    const server = await serverInProcess(t, {
      log: 'disk',
      config: { node_id: NODE_ID, ...configOf(text) }
    })
    const run = new TranscriptRun(
      { ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: ROOT },
      { address: server.base, port: String(server.port), root: ROOT, folder: temporaryFolder(t) }
    )
    for (const step of stepsOf(text)) {
      const shown = await run.run(step)
      const isExpected = run.matches(step.expected, shown)
      if (!isExpected) t.is(shown, step.expected, `${name}:${step.line}: ${step.command}`)
      if (!isExpected) return
    }
    t.pass()
  })
}
