// `annals log test`: what two versions make of one log.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { annals } from '../../support/command-line.js'
import { projectRoot, temporaryFolder } from '../../support/process.js'
import { RELEASE_KEY } from '../../support/release-fixtures.js'
import { serverInProcess } from '../../support/server.js'
import { createPolicy, createToken } from '../../http/support.js'

const FILE = 'recording.ndjson'

interface Recorded {
  readonly log: string
  readonly folder: string
  readonly secret: string
}

const recorded = async (t: ExecutionContext): Promise<Recorded> => {
  const log = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir: log })
  await createPolicy(server, 'web', 'service "web" { policy = "read" }')
  const { SecretID: secret } = await createToken(server, { Description: 'one' })
  await server.send('PUT', '/v1/kv/large?flags=18446744073709551615', { body: 'a' })
  await server.send('PUT', '/v1/kv/gone', { body: 'b' })
  await server.send('DELETE', '/v1/kv/gone')
  await server.close()
  const folder = join(temporaryFolder(t), 'recorded')
  const { code, output, errors } = await annals(['log', 'test', log, '--record', folder])
  t.is(code, 0, errors)
  t.regex(output, /every event of \d+ commits is possible/)
  return { log, folder, secret }
}

const against = ({ log, folder }: Recorded) => annals(['log', 'test', log, '--against', folder])

const rewrite = ({ folder }: Recorded, change: (lines: readonly string[]) => readonly string[]): void => {
  const file = join(folder, FILE)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  writeFileSync(file, `${change(lines).join('\n')}\n`)
}

test('a recording equals what the same version makes of the log, also of its later commits', async t => {
  const recording = await recorded(t)
  const text = readFileSync(join(recording.folder, FILE), 'utf8')
  t.false(text.includes(recording.secret))
  t.true(text.includes('18446744073709551615'))
  t.like(await against(recording), { code: 0, errors: '' })
  const server = await serverInProcess(t, { dataDir: recording.log })
  await server.send('PUT', '/v1/kv/later', { body: 'c' })
  await server.close()
  const { code, output } = await against(recording)
  t.is(code, 0)
  t.regex(output, /\d+ resources at commit \d+ are equal/)
})

test('a resource that differs, is new or is lost is shown, and the command ends with 1', async t => {
  const recording = await recorded(t)
  rewrite(recording, lines =>
    lines
      .filter(line => !line.startsWith('["ACLPolicy ACLPolicyUpserted default default web'))
      .map(line =>
        line
          .replace('"Description":"one"', '"Description":"two"')
          .replace('18446744073709551615', '18446744073709551614')
      )
      .concat('["KV KVSet default default lost",{"Payload":{}}]')
  )
  const { code, output, errors } = await against(recording)
  t.is(code, 1)
  t.regex(output, /~ ACLToken .*\n {2}~ .*Description: "one"/)
  t.regex(output, /~ KV KVSet default default large\n {2}has its fields in another order, or a number beyond/)
  t.regex(output, /- KV KVSet default default lost\n {2}is only in the recording/)
  t.regex(errors, /resources differ between/)
})

test('a changed digest is found when all resources are equal', async t => {
  const recording = await recorded(t)
  rewrite(recording, ([header = '', ...lines]) => [
    JSON.stringify({ ...JSON.parse(header), Digest: '0'.repeat(64) }),
    ...lines
  ])
  const { code, errors } = await against(recording)
  t.is(code, 1)
  t.regex(errors, /the state digest of .* differs/)
})

test('what cannot be compared ends with 2, and a recording of another log with 1', async t => {
  const recording = await recorded(t)
  const other = await recorded(t)
  const foreign = await annals(['log', 'test', recording.log, '--against', other.folder])
  t.is(foreign.code, 1)
  t.regex(foreign.errors, /the recording is of another log/)
  for (const args of [
    [recording.log, '--against', '/nowhere'],
    ['/nowhere', '--against', recording.folder],
    [recording.log, '--against', recording.folder, '--record', recording.folder]
  ])
    t.is((await annals(['log', 'test', ...args])).code, 2, args.join(' '))
  rewrite(recording, lines => lines.map(line => line.slice(1)))
  const damaged = await against(recording)
  t.is(damaged.code, 2)
  t.regex(damaged.errors, /no recording that this version reads/)
})

test('the log of an earlier release is possible in this version', async t => {
  const folder = join(temporaryFolder(t), 'data')
  cpSync(join(projectRoot, 'test/releases/0.1.0/folder'), folder, { recursive: true })
  const env = { ANNALS_ENCRYPTION_KEY: RELEASE_KEY }
  const { code, output, errors } = await annals(['log', 'test', folder], env)
  t.is(code, 0, errors)
  t.regex(output, /every event of \d+ commits is possible/)
})
