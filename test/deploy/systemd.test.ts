// The one server that docs/how-to/install.md sets up under systemd, started from exactly its files in a mount namespace.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { send } from '../support/client.js'
import { freePort, program, projectRoot, temporaryFolder } from '../support/process.js'
import { skip } from '../support/programs.js'
import { until } from '../support/wait.js'

/** The commands of the page, without those that need a bundle and a running systemd. */
const recipe = (): readonly string[] => {
  const page = readFileSync(join(projectRoot, 'docs/how-to/install.md'), 'utf8')
  const [, block = ''] = /^One server under systemd, as root:\n\n```text\n([^`]*)```/m.exec(page) ?? []
  return block.split('\n').filter(line => line !== '' && !/^(cp -r dist\/bundle|systemctl)\b/.test(line))
}

const unit = (key: string): string => {
  const text = readFileSync(join(projectRoot, 'deploy/systemd/annals.service'), 'utf8')
  return new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
}

/** A machine of its own: the folders that the recipe writes to lie over those of this machine. */
const machine = (folder: string): readonly string[] => [
  'set -e',
  `mount -t tmpfs tmpfs ${folder}`,
  ...['etc', 'var/lib'].flatMap(name => {
    const [upper, work] = [`${folder}/${name}/upper`, `${folder}/${name}/work`]
    return [
      `mkdir -p ${upper} ${work}`,
      `mount -t overlay overlay -o lowerdir=/${name},upperdir=${upper},workdir=${work} /${name}`
    ]
  }),
  'mount -t tmpfs tmpfs /opt',
  // In place of the bundle.
  'mkdir -p /opt/annals/bin /opt/node /opt/project /etc/systemd/system',
  `mount --bind ${projectRoot} /opt/project`,
  'touch /opt/node/node',
  `mount --bind ${process.execPath} /opt/node/node`,
  `printf '#!/bin/sh\\nexec /opt/node/node /opt/project/${program.slice(projectRoot.length + 1)} "$@"\\n' > /opt/annals/bin/annals`,
  'chmod 0755 /opt/annals/bin/annals'
]

const isPossible = (folder: string): boolean =>
  spawnSync('unshare', ['--mount', 'sh', '-c', [...machine(folder), 'command -v useradd setpriv'].join('\n')])
    .status === 0

test('one server starts from the configuration and the unit that the page installs', async t => {
  const folder = temporaryFolder(t)
  if (!isPossible(folder)) {
    skip(t, 'this machine allows no mount namespaces, or has no useradd or setpriv')
    return
  }
  const commands = recipe()
  t.true(commands.length >= 4, commands.join('\n'))
  const user = unit('User')
  const script = [
    ...machine(folder),
    ...commands,
    `install -d -m ${unit('StateDirectoryMode')} -o ${user} -g ${user} /var/lib/${unit('StateDirectory')}`,
    `umask ${unit('UMask')}`,
    `exec setpriv --reuid ${user} --regid ${user} --init-groups ${unit('ExecStart')}`
  ]
  const [port, dnsPort] = [await freePort(), await freePort()]
  const env = { ...process.env, ANNALS_PORTS_HTTP: String(port), ANNALS_PORTS_DNS: String(dnsPort) }
  const child = spawn('unshare', ['--mount', 'sh', '-c', script.join('\n')], { cwd: projectRoot, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => (output += String(piece)))
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const base = `http://127.0.0.1:${port}`
  await until('the server is ready', async () => {
    if (child.exitCode !== null) throw new Error(output)
    return (await send(base, 'GET', '/readyz').catch(() => undefined))?.status === 200
  })
  const bootstrapped = await send(base, 'PUT', '/v1/acl/bootstrap')
  const { SecretID: token }: { readonly SecretID: string } = JSON.parse(bootstrapped.text)
  t.is((await send(base, 'PUT', '/v1/kv/a', { token, body: '1' })).status, 200)
  t.is((await send(base, 'GET', '/v1/kv/a?raw', { token })).text, '1')
  t.regex(output, /"data_dir":"\/var\/lib\/annals"/)
  t.regex(output, /secrets are encrypted/)
  child.kill('SIGTERM')
  t.deepEqual(await ended, [0, null], output)
})
