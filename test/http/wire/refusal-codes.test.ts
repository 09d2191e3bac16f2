import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { REFUSALS, STATUSES } from '../../../actors/refusal-codes.js'
import { projectRoot } from '../../support/process.js'
import { serverInProcess } from '../../support/server.js'

const CODE = 'x-service-error-code'

test('docs/reference/errors.md lists every code with its status and meaning', t => {
  const page = readFileSync(join(projectRoot, 'docs/reference/errors.md'), 'utf8')
  const rows = page
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim())
    )
  const expected = Object.entries(REFUSALS).map(([code, [kind, meaning]]) => [
    `\`${code}\``,
    String(STATUSES[kind]),
    meaning
  ])
  t.deepEqual(rows, expected)
})

test('a refusal has its code in a header, and its text stays', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'taken' }
  t.is((await server.send('PUT', '/v1/acl/policy', { body })).status, 200)
  const again = await server.send('PUT', '/v1/acl/policy', { body })
  t.is(again.status, 400)
  t.is(again.headers[CODE], 'acl.policy.name-taken')
  t.is(again.text, 'Invalid Policy: A Policy with Name "taken" already exists')
})

test('responses outside decisions have codes too', async t => {
  const server = await serverInProcess(t)
  for (const [method, path, status, code] of [
    ['GET', '/v1/kv/absent', 404, 'kv.not-found'],
    ['GET', '/v1/no/such/path', 404, 'request.path-unknown'],
    ['POST', '/v1/kv/key', 405, 'request.method-unknown'],
    ['GET', '/v1/acl/policies?filter=Name', 400, 'read.filter-invalid'],
    ['GET', '/v1/catalog/nodes?dc=nowhere', 400, 'datacenter.unknown']
  ] as const) {
    const answer = await server.send(method, path)
    t.is(answer.status, status, path)
    t.is(answer.headers[CODE], code, path)
  }
})

test('a response without a failure has no code', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('GET', '/v1/status/leader')).headers[CODE], undefined)
})
