import test from 'ava'
import { warningHeaders } from '../../../http/wire/response.js'
import { serverInProcess } from '../../support/server.js'

test('a policy with unknown rules is accepted with a warning', async t => {
  const server = await serverInProcess(t)
  const body = {
    Name: 'typo',
    Rules: 'key_prefix "a" { policy = "read" }\nkey_prefx "b" { policy = "read" }'
  }
  const made = await server.send('PUT', '/v1/acl/policy', { body })
  const warning = 'unknown rule "key_prefx" has no effect (line 2, column 1)'
  t.is(made.status, 200)
  t.is(String(made.headers['x-service-warning']).replaceAll('"', ''), warning.replaceAll('"', ''))
  t.is(made.headers['x-consul-warning'], made.headers['x-service-warning'])
  const { ID } = JSON.parse(made.text)
  const path = `/v1/acl/policy/${ID}`
  t.regex(String((await server.send('PUT', path, { body })).headers['x-service-warning']), /key_prefx/)
  const right = { ...body, Rules: 'key_prefix "a" { policy = "read" }' }
  t.is((await server.send('PUT', path, { body: right })).headers['x-service-warning'], undefined)
  t.is((await server.send('GET', path)).headers['x-service-warning'], undefined)
})

test('unknown fields of chain overrides are ignored, and named', async t => {
  const server = await serverInProcess(t)
  const post = (body: object) => server.send('POST', '/v1/discovery-chain/web', { body })
  const known = await post({ OverrideProtocol: 'http', OverrideMeshGateway: { Mode: 'local' } })
  t.deepEqual([known.status, known.headers['x-service-warning']], [200, undefined])
  const { status, text, headers } = await post({
    OverrideProtocol: 'http',
    override_mesh_gateway: { Mode: 'local', Color: 'red' },
    Overide: 1
  })
  t.deepEqual([status, text], [200, known.text])
  t.is(
    headers['x-service-warning'],
    'unknown field "Overide" is ignored; unknown field "OverrideMeshGateway.Color" is ignored'
  )
})

test('a warning is short, and has only what a header can hold', t => {
  t.deepEqual(warningHeaders([]), [])
  t.deepEqual(warningHeaders(['a', 'b\n\u00e4\u{1f600}']), [
    'X-Service-Warning',
    'a; b\\u000a\\u00e4\\ud83d\\ude00'
  ])
  const [, long = ''] = warningHeaders(Array.from({ length: 5000 }, (_, i) => `unknown rule ${i}`))
  t.true(long.length < 1500)
  t.regex(long, /; and \d+ more$/)
})
