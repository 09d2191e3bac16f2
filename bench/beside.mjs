// Another server with the command line and the configuration of `consul agent`, of which only the executable is configured.
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { send } from '../dist/test/support/client.js'
import { freePort, temporaryFolder } from '../dist/test/support/process.js'
import { until } from '../dist/test/support/wait.js'
import { benched } from './server.mjs'

/** Returns its name: the first line of its `version`, or its file name. */
export const nameOf = file => {
  const { stdout } = spawnSync(file, ['version'], { encoding: 'utf8' })
  return stdout?.split('\n')[0]?.trim() || basename(file)
}

/** Starts it as a single server with ACLs; it is killed with the scope. @returns like `startBenched`, without the data folder */
export async function startBeside(scope, file) {
  const folder = temporaryFolder(scope)
  const [root, port] = [randomUUID(), await freePort()]
  const [rpc, lan, wan] = [await freePort(), await freePort(), await freePort()]
  const config = join(folder, 'config.json')
  const settings = {
    server: true,
    bootstrap_expect: 1,
    data_dir: join(folder, 'data'),
    bind_addr: '127.0.0.1',
    client_addr: '127.0.0.1',
    log_level: 'error',
    disable_update_check: true,
    ports: { http: port, dns: -1, grpc: -1, grpc_tls: -1, server: rpc, serf_lan: lan, serf_wan: wan },
    // It does not know the client's header, so requests without a token use the management token.
    acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: root, default: root } },
    limits: { http_max_conns_per_client: 10_000 }
  }
  writeFileSync(config, JSON.stringify(settings))
  const child = spawn(file, ['agent', '-config-file', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = new Promise(resolve => child.on('exit', resolve))
  const end = () => {
    child.kill('SIGKILL')
    return exited
  }
  scope.teardown(end)
  const base = `http://127.0.0.1:${port}`
  let ended
  void exited.then(code => (ended = code))
  await until(`${file} answers`, async () => {
    if (child.exitCode !== null) throw new Error(`${file} agent ended with ${ended}`)
    const self = await send(base, 'GET', '/v1/acl/token/self', { token: root }).catch(() => undefined)
    const { status, text } = await send(base, 'GET', '/v1/status/leader').catch(() => ({}))
    return self?.status === 200 && status === 200 && text !== '""'
  })
  return benched({ base, port, pid: child.pid, stop: end }, root)
}
