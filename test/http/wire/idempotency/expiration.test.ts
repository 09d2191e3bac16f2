// Expired responses are erased from the log, despite failures.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { annals } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { keyed } from './keyed.js'
import { idempotentResponseAt } from '../../../../events/log/lookups.js'

const HOUR = 3_600_000
/** A text that only stored responses contain. */
const MARK = '{\\"asked\\"'

const write = async (t: ExecutionContext, server: TestServer, key: string): Promise<number> => {
  const { status, headers } = await keyed(server, key, 'PUT', `/v1/kv/${key}`, { body: 'x' })
  t.is(status, 200)
  return Number(headers['x-service-index'])
}

const isErased = (server: TestServer, index: number): Promise<boolean> =>
  until('the answer is erased', async () => {
    server.advance(HOUR)
    return (await idempotentResponseAt(server.app.log, index)) === undefined
  })

test('after its time no byte of an answer is in the files of the log, and the log holds', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir, config: { idempotency: { window: '1h' } } })
  const index = await write(t, server, 'a')
  const folder = logFolder(dataDir)
  const holding = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      name => name.endsWith('.seg') && readFileSync(join(folder, name)).includes(MARK)
    )
  t.is(holding().length, 1)
  await isErased(server, index)
  t.deepEqual(holding(), [])
  await server.close()
  const { code, output, errors } = await annals(['log', 'verify', '--replay', '--data-dir', dataDir])
  t.is(code, 0, output + errors)
})

test('what could not be erased is erased at the next look', async t => {
  const failures = { left: 1 }
  class FailingLog extends MemoryEventLog {
    override async erase(parts: Parameters<MemoryEventLog['erase']>[0]): Promise<number> {
      if (failures.left-- > 0) throw new Error('EIO (made by the test)')
      return super.erase(parts)
    }
  }
  const server = await serverInProcess(t, {
    log: new FailingLog(),
    config: { idempotency: { window: '1h' } }
  })
  const index = await write(t, server, 'a')
  await isErased(server, index)
  t.true(failures.left < 0)
  t.is(server.app.views.keptAnswers.size, 0)
})

test('an answer that was erased is not decided again before its time', async t => {
  const server = await serverInProcess(t)
  const index = await write(t, server, 'a')
  await server.app.log.erase([{ index, answer: true }])
  const { status, text } = await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: 'x' })
  t.is(status, 410)
  t.regex(text, new RegExp(`made commit ${index}, whose answer is no longer kept`))
})
