// Adds a field to the definition of policies in a copy of the build, and expects it wherever policies are.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { buildWithField, MEANING } from '../support/build-with-field.js'
import { projectRoot, startServer } from '../support/process.js'

interface ApiPage {
  readonly slug: string
  readonly markdown: string
}

/** Returns the pages of the documentation about an API. @param folder of a build */
const apiPagesOf = async (folder: string, api: unknown): Promise<readonly ApiPage[]> => {
  const script = 'docs/.vitepress/api-pages.mjs'
  mkdirSync(join(folder, 'dist/api'), { recursive: true })
  writeFileSync(join(folder, 'dist/api/openapi.json'), JSON.stringify(api))
  cpSync(join(projectRoot, script), join(folder, script))
  const { tagPages }: { readonly tagPages: () => readonly ApiPage[] } = await import(
    pathToFileURL(join(folder, script)).href
  )
  return tagPages()
}

test('a field that a definition declares is in requests, responses, filters, history, the API description, the documentation and the command line', async t => {
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
  const api = await get('/v1/openapi.json')
  t.like(api, {
    components: {
      schemas: {
        Policy: { properties: { Owner: { type: 'string', description: MEANING } } },
        PolicyEntry: { properties: { Owner: { type: 'string', description: MEANING } } },
        PolicyInput: { properties: { Owner: { type: 'string', description: MEANING } } }
      }
    }
  })
  const pages = await apiPagesOf(dirname(dirname(dirname(main))), api)
  t.true(
    pages
      .find(({ slug }) => slug === 'acl-policies')
      ?.markdown.includes(`| \`Owner\` | \`string\` | ${MEANING} |`)
  )
})
