// Adds a field to the definition of policies in a copy of the build, and expects it wherever policies are.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { buildWithField, MEANING } from '../support/build-with-field.js'
import { startServer } from '../support/process.js'

test('a field that a definition declares is in requests, responses, filters, history, the API description and the command line', async t => {
  const main = await buildWithField(t)
  const server = await startServer(t, { main })
  const token = await server.bootstrap()
  const annals = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: token }
    return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout
  }
  const get = async (path: string): Promise<unknown> =>
    (await fetch(server.base + path, { headers: { 'X-Service-Token': token } })).json()

  t.regex(await annals('policy', 'create', '--help'), new RegExp(`--owner <text> +${MEANING}`))
  t.regex(await annals('policy', 'create', '-name', 'web', '-owner', 'ops'), /^Owner: +ops$/m)
  t.regex(await annals('policy', 'update', '-name', 'web', '-description', 'new'), /^Owner: +ops$/m)
  await annals('policy', 'update', '-name', 'web', '-owner', 'dev')
  await annals('policy', 'create', '-name', 'other')
  t.regex(await annals('policy', 'list'), /Description +Owner\n(.*\n)*web .*new +dev$/m)
  t.regex(await annals('history', 'policy', 'web'), /~ \/ACLPolicy\/Owner: "dev"/)

  const named = { Name: 'web', Owner: 'dev' }
  t.like(await get('/v1/acl/policy/name/web'), named)
  t.like(await get(`/v1/acl/policies?filter=${encodeURIComponent('Owner == "dev"')}`), [named])
  t.like(await get('/v1/openapi.json'), {
    components: {
      schemas: {
        Policy: { properties: { Owner: { type: 'string', description: MEANING } } },
        PolicyEntry: { properties: { Owner: { type: 'string', description: MEANING } } },
        PolicyInput: { properties: { Owner: { type: 'string', description: MEANING } } }
      }
    }
  })
})
