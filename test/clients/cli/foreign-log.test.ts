// `annals serve` in a cluster, with a folder whose log is another one than that of the cluster.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openLog } from '../../../server/open-log.js'
import { startServer } from '../../../server/running-server.js'
import { startClusteredServer } from '../../../server/cluster/members/clustered-server.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import { loadSettings } from '../../../server/settings/load.js'
import { etcdFor, urlsOf } from '../../events/etcd/support.js'
import { send } from '../../support/client.js'
import { program, temporaryFolder } from '../../support/process.js'

const KEY = Buffer.alloc(32, 7).toString('base64')

/** Two configuration files of one server: alone, and as a member of a cluster. */
const configsOf = (t: ExecutionContext, name: string, endpoints: readonly string[]) => {
  const folder = temporaryFolder(t)
  const own = {
    node_name: name,
    data_dir: join(folder, 'data'),
    ports: { http: 0, dns: -1 },
    log: { level: 'silent' },
    acl: { enabled: false },
    encryption: { key: KEY }
  }
  const write = (file: string, config: object): string => {
    writeFileSync(join(folder, file), JSON.stringify(config))
    return join(folder, file)
  }
  const cluster = { enabled: true, etcd: { endpoints }, secret: KEY }
  return { alone: write('alone.json', own), clustered: write('clustered.json', { ...own, cluster }) }
}

const liveOf = (file: string): LiveSettings =>
  new LiveSettings(() => loadSettings({ file, env: {}, flags: {} }))

/** Runs the program until it ends by itself. */
const serve = async (t: ExecutionContext, file: string) => {
  const child = spawn(process.execPath, [program, 'serve', '--config', file], {
    env: { ...process.env, ANNALS_LOG_LEVEL: 'info' }
  })
  t.teardown(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const [code] = await once(child, 'close')
  return { code: Number(code), output }
}

test('a server whose folder belongs to the log of another cluster ends with 1 and changes nothing', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const [here, there] = [configsOf(t, 'one', urlsOf(etcd)), configsOf(t, 'two', urlsOf(etcd))]
  const live = liveOf(there.alone)
  const alone = await startServer(live, await openLog(live.current))
  t.is((await send(`http://127.0.0.1:${alone.port}`, 'PUT', '/v1/kv/kept', { body: '1' })).status, 200)
  await alone.close()
  const founder = await startClusteredServer(liveOf(here.clustered), { report: () => {} })
  t.teardown(() => founder.close())
  const { code, output } = await serve(t, there.clustered)
  t.is(code, 1, output)
  t.regex(output, /the log in .* is another one than that of the cluster \(cluster\.etcd\.prefix \/annals\)/)
  const again = await startServer(live, await openLog(live.current))
  t.teardown(() => again.close())
  t.is((await send(`http://127.0.0.1:${again.port}`, 'GET', '/v1/kv/kept?raw')).text, '1')
})
