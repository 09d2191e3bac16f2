// A projection with a golden replay test: a change of its handlers shows as a difference.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { durable, openLog } from 'annals'
import { given, givenLog } from 'annals/testing'
import { policies } from './changes.js'

/** A log that a server wrote, kept with the tests. */
const RECORDED = join(import.meta.dirname, '../../../test/releases/0.1.0/folder')

const GOLDEN = ['global-management', 'keys', 'namespace-management']

interface Policies {
  readonly rules: Readonly<Record<string, string>>
}
const isPolicies = (value: unknown): value is Policies =>
  typeof value === 'object' && value !== null && 'rules' in value && typeof value.rules === 'object'

test('the recorded log gives the policies that it gave before', async t => {
  const log = await openLog(RECORDED)
  t.teardown(() => log.close())
  await givenLog(log)
    .when(policies)
    .then(({ rules }) => t.deepEqual(Object.keys(rules).toSorted(), GOLDEN))
})

test('the projection continues from its checkpoint, and is rebuilt when its version changes', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'annals-example-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await using server = await given().server()
  const put = (Name: string) =>
    server.fetch('/v1/acl/policy', { method: 'PUT', body: JSON.stringify({ Name, Rules: '' }) })
  await put('one')
  const options = { file: join(folder, 'policies.json'), version: 1 }
  const first = await durable(policies, isPolicies, options).update(server.log)
  await put('two')
  const second = await durable(policies, isPolicies, options).update(server.log)
  t.is(second.applied, second.index - first.index)
  t.true('two' in second.state.rules && 'one' in second.state.rules)
  const rebuilt = await durable(policies, isPolicies, { ...options, version: 2 }).update(server.log)
  t.is(rebuilt.applied, rebuilt.index)
  t.deepEqual(rebuilt.state, second.state)
})
