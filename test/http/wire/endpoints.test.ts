import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { format, resolveConfig } from 'prettier'
import { endpointsPage } from '../../../http/wire/endpoints.js'
import { anyToken, requires, noToken, route } from '../../../http/wire/route.js'
import { allRoutes } from '../../support/routes.js'
import { empty } from '../../../http/wire/response.js'

test('docs/reference/endpoints.md says what the routes declare', async t => {
  const path = 'docs/reference/endpoints.md'
  const page = await format(endpointsPage(allRoutes), { ...(await resolveConfig(path)), parser: 'markdown' })
  if (process.env['ANNALS_TEST_WRITE_DOCS'] !== undefined) writeFileSync(path, page)
  t.is(readFileSync(path, 'utf8'), page)
})

test('every endpoint has a line with its permission, blocking, consistency, caching and pages', t => {
  const facts = { operationId: 'resource', summary: '', tag: 'KV', handle: () => empty(200) } as const
  const page = endpointsPage([
    route({
      ...facts,
      method: 'GET',
      path: '/v1/resource/*name',
      access: requires('key:read', 'a | b'),
      blocking: true,
      consistency: 'all',
      caching: 'simple',
      isPaged: true
    }),
    route({
      ...facts,
      method: 'PUT',
      path: '/v1/resource',
      access: anyToken(),
      blocking: false,
      consistency: 'none',
      caching: 'none'
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/v1/open',
      access: noToken,
      blocking: false,
      consistency: 'none',
      caching: 'none'
    })
  ])
  t.true(page.includes('| `GET /v1/resource/*name` | `key:read` (a \\| b) | yes | all | simple | yes |'))
  t.true(page.includes('| `PUT /v1/resource` | any token | no | none | none | no |'))
  t.true(page.includes('| `GET /v1/open` | not looked at | no | none | none | no |'))
  t.deepEqual(page.match(/^## .*/gm), ['## Lists in pages', '## KV'])
})
