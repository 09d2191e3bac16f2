// Reference pages whose tables come from the program: endpoints, settings, events, metrics, and the limits that settings have. ANNALS_TEST_WRITE_DOCS=1 rewrites the tables.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { format, resolveConfig } from 'prettier'
import { EVENT_TOPICS } from '../projections/stream/event-types.js'
import { PAYLOAD_FIELDS } from '../projections/stream/payload-fields.js'
import type { Access, Route } from '../http/wire/route.js'
import { defaultText, keyGroups, keys, type Key } from '../server/settings/keys.js'
import { projectRoot } from './support/process.js'
import { allRoutes } from './support/routes.js'
import { serverInProcess } from './support/server.js'

type Row = readonly string[]

const pageAt = (name: string): string => join(projectRoot, `docs/reference/${name}.md`)

const read = (name: string): string => readFileSync(pageAt(name), 'utf8')

const cell = (text: string): string => text.replaceAll('|', '\\|')

const tableOf = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')

/** Returns the page with the text below a heading, up to the next heading or the end, replaced. */
const withSection = (page: string, heading: string, text: string): string => {
  const start = page.indexOf(`## ${heading}\n`)
  const end = page.indexOf('\n## ', start + 1)
  const rest = end < 0 ? '' : page.slice(end)
  return `${page.slice(0, start)}## ${heading}\n\n${text}\n${rest}`
}

const formatted = async (name: string, page: string): Promise<string> => {
  const text = await format(page, { ...(await resolveConfig(pageAt(name))), parser: 'markdown' })
  if (process.env['ANNALS_TEST_WRITE_DOCS'] !== undefined) writeFileSync(pageAt(name), text)
  return text
}

const code = (text: string): string => `\`${text}\``

test('docs/reference/events.md has every topic with its types, and the fields of every payload', async t => {
  const types = Object.entries(EVENT_TOPICS)
  const topics = [...new Set(Object.values(EVENT_TOPICS))].toSorted().map(topic => [
    code(topic),
    types
      .filter(([, each]) => each === topic)
      .map(([type]) => code(type))
      .join(', ')
  ])
  const payloads = Object.entries(PAYLOAD_FIELDS).map(([name, type]) => {
    t.is(type.type, 'object')
    return [code(name), type.type === 'object' ? Object.keys(type.fields).map(code).join(', ') : '']
  })
  const page = withSection(read('events'), 'Types by topic', tableOf(['Topic', 'Types'], topics))
  const note =
    'Filters can use these fields, as in `Payload.KV.Flags`. Payloads of other topics can only be read.'
  const whole = withSection(
    page,
    'Fields of payloads',
    `${note}\n\n${tableOf(['Payload', 'Fields'], payloads)}`
  )
  const text = await formatted('events', whole)
  t.is(read('events'), text)
})

test('docs/reference/metrics.md has every metric of a server', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  const rows = [...text.matchAll(/^# HELP (annals_\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
    .map(([, name = '', help = '', type = '']) => [code(name), type, help])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
  t.true(rows.length > 50)
  const page = withSection(read('metrics'), 'All servers', tableOf(['Metric', 'Type', 'Meaning'], rows))
  const expected = await formatted('metrics', page)
  t.is(read('metrics'), expected)
})

/** Returns the page with the text from a heading to the end replaced. */
const withSectionsFrom = (page: string, heading: string, sections: readonly string[]): string =>
  `${page.slice(0, page.indexOf(`## ${heading}\n`))}${sections.join('\n\n')}\n`

const permissionOf = ({ permissions, note, resolvesToken }: Access): string => {
  const needed = permissions.length > 0 ? permissions.map(code).join(', ') : 'any token'
  const words = resolvesToken ? needed : 'not looked at'
  return note === undefined ? words : `${words} (${note.replaceAll('*', '\\*')})`
}

const ENDPOINT_COLUMNS = ['Endpoint', 'Permission', 'Blocking', 'Consistency', 'Caching', 'Pages']

const endpointRow = ({ method, path, access, blocking, isPaged, ...route }: Route): Row => [
  code(`${method} ${path}`),
  permissionOf(access),
  blocking ? 'yes' : 'no',
  route.consistency ?? 'none',
  route.caching ?? 'none',
  isPaged ? 'yes' : 'no'
]

test('docs/reference/endpoints.md has every endpoint with its permission and options', async t => {
  const tags = [...new Set(allRoutes.map(({ tag }) => tag))]
  const sections = tags.map(tag => {
    const rows = allRoutes.filter(route => route.tag === tag).map(endpointRow)
    return `## ${tag}\n\n${tableOf(ENDPOINT_COLUMNS, rows)}`
  })
  const text = await formatted('endpoints', withSectionsFrom(read('endpoints'), 'ACL system', sections))
  t.is(read('endpoints'), text)
})

const settingEntry = (key: Key): string => {
  const flag = key.flag === undefined ? '' : `, flag ${code(`--${key.flag}`)}`
  const reread = key.notes.reloads === true ? ' Reread while the server runs.' : ''
  const value = key.notes.otherwise ?? code(defaultText(key))
  return [
    `- **${code(key.path)}** (${key.notes.kind}; default: ${value}): ${key.description}`,
    `  Must ${key.notes.rule}. Environment ${code(key.env)}${flag}.${reread}`
  ].join('\n')
}

test('docs/reference/settings.md has every setting with its rule, default, variable and flag', async t => {
  const sections = [...keyGroups()].map(([name, group]) =>
    [`## ${name === '' ? 'The server' : code(name)}\n`, ...group.map(settingEntry)].join('\n')
  )
  const text = await formatted('settings', withSectionsFrom(read('settings'), 'The server', sections))
  t.is(read('settings'), text)
})

/** Metrics that sources of a folder name. */
const metricsIn = (folder: string): Set<string> =>
  new Set(
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts'))
      .flatMap(path => [...readFileSync(join(projectRoot, folder, path), 'utf8').matchAll(/'(annals_\w+)'/g)])
      .map(([, name = '']) => name)
  )

for (const [page, folders] of Object.entries({
  cluster: ['server/cluster/members'],
  workers: ['server/cluster/workers'],
  datacenters: ['server/cluster/datacenters', 'server/cluster/replication']
}))
  test(`docs/reference/${page}.md has every metric of its servers`, t => {
    const names = folders.flatMap(folder => [...metricsIn(folder)])
    t.true(names.length > 2)
    t.deepEqual(
      names.filter(name => !read(page).includes(code(name))),
      []
    )
  })

/** Units of the page, in the units of settings. */
const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  messages: 1,
  '': 1
}

const amounts = (text: string): string[] =>
  text
    .split(', ')
    .filter(part => part !== '')
    .flatMap(part => {
      const [, digits = '', unit = ''] = /^(\d+) ?(\w*)$/.exec(part) ?? []
      const factor = UNITS[unit]
      return digits === '' || factor === undefined ? [] : [String(Number(digits) * factor)]
    })

test('docs/reference/limits.md names settings that exist, with their defaults', t => {
  const rows = read('limits')
    .split('\n')
    .filter(line => /^\| .*`[a-z]+\.[a-z_]+`/.test(line))
    .map(line => line.split('|').map(one => one.trim()))
  t.true(rows.length > 20)
  for (const [, limit = '', value = '', named = ''] of rows) {
    const settings = [...named.matchAll(/`([^`]+)`/g)].map(([, name = '']) =>
      keys.find(({ path }) => path === name)
    )
    t.true(
      settings.every(setting => setting !== undefined),
      `${limit}: ${named}`
    )
    const expected = settings.map(setting => String(setting?.value))
    const written = amounts(value.replaceAll(/(?<=\d),(?=\d{3})/g, ''))
    if (written.length === expected.length) t.deepEqual(written, expected, limit)
  }
  // What is in other units than the settings.
  const compared = rows.filter(
    ([, , value = '']) => amounts(value.replaceAll(/(?<=\d),(?=\d{3})/g, '')).length > 0
  )
  t.true(compared.length >= 15, String(compared.length))
})
