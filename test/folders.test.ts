// The folders of http and server, and what they may import from each other.
import test from 'ava'
import { imports, sources, within } from './support/imports.js'

/** The folders of http and server, and the other folders of these two whose files they may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'http/schemas': [],
  'http/wire': ['http/audit', 'http/openapi'],
  'http/openapi': ['http/schemas', 'http/wire'],
  'http/audit': [],
  'http/stream': ['http/schemas', 'http/wire'],
  'http/history': ['http/stream', 'http/wire'],
  'http/webhooks': ['http/stream', 'http/wire'],
  'http/routes': [
    'http/audit',
    'http/history',
    'http/openapi',
    'http/schemas',
    'http/stream',
    'http/webhooks',
    'http/wire'
  ],
  'server/settings': [],
  'server/telemetry': []
}
const folderOf = (path: string): string | undefined => /^(?:http|server)\/[^/.]+(?=\/)/.exec(path)?.[0]

test('the folders of http and server import only what they declare', t => {
  for (const [folder, allowed] of Object.entries(MAY_IMPORT))
    t.deepEqual(
      imports(within(folder), target => {
        const other = folderOf(target)
        return (
          other !== undefined && other !== folder && !other.startsWith('server/') && !allowed.includes(other)
        )
      }),
      [],
      folder
    )
  const declared = new Set(Object.keys(MAY_IMPORT))
  const folders = new Set(sources.map(({ path }) => folderOf(path)).filter(each => each?.startsWith('http/')))
  t.deepEqual(
    [...folders].filter(each => !declared.has(each ?? '')),
    []
  )
})

test('only the commands, workers and the child of a server know how a server is composed', t => {
  const roots = ['server/compose', 'server/running-server', 'server/main']
  t.deepEqual(
    imports(
      path =>
        within('http')(path) &&
        path.split('/').length > 2 &&
        !within('clients/cli', 'server/snapshots', 'server/cluster/workers')(path),
      target => roots.includes(target)
    ),
    []
  )
})
