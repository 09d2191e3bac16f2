// The programs in library/examples, over the log of a server.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { durable, openLog, project } from 'annals'
import { auditReport } from '../../library/examples/audit-report.js'
import { upgradeCheck } from '../../library/examples/upgrade-check.js'
import { createToken } from '../http/support.js'
import { program, temporaryFolder } from '../support/process.js'
import { serverInProcess } from '../support/server.js'

interface Keys {
  readonly count: number
}
const isKeys = (value: unknown): value is Keys =>
  typeof value === 'object' && value !== null && 'count' in value && typeof value.count === 'number'
const keys = project<Keys>({
  initial: { count: 0 },
  on: { 'KV.KVSet': draft => void draft.count++ }
})

test('the audit report has each commit of its period and its author', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const { AccessorID, SecretID: token } = await createToken(server)
  const headers = { 'X-Service-Reason': 'a | b' }
  await server.send('PUT', '/v1/kv/a', { token, body: 'denied', headers })
  await server.send('PUT', '/v1/kv/a', { body: 'x', headers })
  await server.close()
  const log = await openLog(dataDir)
  const lines = async (period: {
    readonly from: string
    readonly accessor?: string
  }): Promise<readonly string[]> => {
    const report: string[] = []
    const bounds = { from: new Date(period.from), to: new Date('2100-01-01T00:00:00Z') }
    for await (const line of auditReport(log, { ...period, ...bounds })) report.push(line)
    return report
  }
  const all = await lines({ from: '2000-01-01' })
  t.is(all.length, 2 + log.lastIndex)
  t.true(all.some(line => line.includes(String.raw`a \| b`) && line.includes('KVSet default/a')))
  t.is((await lines({ from: '2000-01-01', accessor: AccessorID })).length, 2)
  t.is((await lines({ from: '2099-01-01' })).length, 2)
  await log.close()
})

test('the upgrade check records at the first run, compares afterwards, and finds a difference', async t => {
  const backup = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir: backup })
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  await server.close()
  const recording = join(temporaryFolder(t), 'recorded')
  const check = () => upgradeCheck({ program: [process.execPath, program], backup, recording })
  t.is(await check(), 0)
  t.is(await check(), 0)
  const file = join(recording, 'recording.ndjson')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"Key":"a"', '"Key":"b"'))
  t.is(await check(), 1)
})

test('a checkpoint of another log, or a damaged one, is made again', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'deep', 'keys.json')
  const logOf = async (count: number) => {
    const dataDir = join(temporaryFolder(t), 'data')
    const server = await serverInProcess(t, { dataDir })
    for (let i = 0; i < count; i++) await server.send('PUT', `/v1/kv/${i}-${count}`, { body: 'x' })
    await server.close()
    return openLog(dataDir)
  }
  const [three, five] = [await logOf(3), await logOf(5)]
  const counter = durable(keys, isKeys, { file, version: 1 })
  t.like(await counter.update(five), { state: { count: 5 }, index: five.lastIndex })
  t.like(await counter.update(five), { state: { count: 5 }, applied: 0 })
  t.like(await counter.update(three), { state: { count: 3 }, applied: three.lastIndex })
  for (const text of [
    '',
    '{"Version":1}',
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), State: 7 })
  ]) {
    mkdirSync(join(folder, 'deep'), { recursive: true })
    writeFileSync(file, text)
    t.like(await counter.update(three), { state: { count: 3 }, applied: three.lastIndex })
  }
  for (const log of [three, five]) await log.close()
})
