// What a built program loads when it starts.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'
import { projectRoot } from './support/process.js'

/** What a built file of ours loads with it, further files and packages: not what it imports later, when it is needed. */
function loadedWith(file: string): ReadonlySet<string> {
  const loaded = new Set([file])
  const pattern = /^(?:import|export)\b[^'"(]*?['"]([^'"]+)['"]/gm
  for (const each of loaded) {
    if (!each.startsWith('dist/')) continue
    const code = readFileSync(join(projectRoot, each), 'utf8')
    for (const [, name = ''] of code.matchAll(pattern))
      loaded.add(name.startsWith('.') ? normalize(join(dirname(each), name)) : name)
  }
  return loaded
}

test('a server alone loads nothing of a cluster', t => {
  const alone = [...loadedWith('dist/server/commands/run-server.js')]
  t.true(alone.includes('dist/server/running-server.js'))
  const ofCluster = ['dist/server/cluster/members/', 'dist/events/log/cluster/', 'dist/events/log/etcd/']
  const calls = ['node:http2', 'protobufjs']
  t.deepEqual(
    alone.filter(each => calls.includes(each) || ofCluster.some(folder => each.startsWith(folder))),
    []
  )
  const clustered = loadedWith('dist/server/cluster/members/clustered-server.js')
  t.true(clustered.has('protobufjs'))
})

test('the library loads at most 60 modules, and none of a server', t => {
  const modules = [...loadedWith('dist/library/index.js')].filter(each => each.startsWith('dist/'))
  t.true(modules.includes('dist/events/log/segments/read-only-store.js'))
  t.true(modules.length <= 60, `${modules.length}`)
  t.deepEqual(
    modules.filter(each => !each.startsWith('dist/library/') && !each.startsWith('dist/events/')),
    []
  )
})

test('no chunk of the bundle imports the namespace of `node:http`, which would load undici', t => {
  const chunks = join(projectRoot, 'program/chunks')
  const importing = readdirSync(chunks).filter(
    name => name.endsWith('.js') && /from "(node:)?http"/.test(readFileSync(join(chunks, name), 'utf8'))
  )
  t.deepEqual(importing, [])
})
