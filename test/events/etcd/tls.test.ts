// An etcd that asks who calls.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import { EtcdSharedLog } from '../../../events/log/etcd/etcd-shared-log.js'
import { loopbackMachines } from '../../cluster/machines/loopback.js'
import { startProgram } from '../../cluster/machines/machine.js'
import { selfSigned } from '../../support/certificate.js'
import { temporaryFolder } from '../../support/process.js'
import { missing } from '../../support/programs.js'
import { until } from '../../support/wait.js'
import { appendAll, EMPTY, lead, LONG, serverOf } from './support.js'

test('etcd is asked with a certificate, and believed by its own', async t => {
  if (await missing(t, 'etcd')) return
  const [machine] = loopbackMachines(1)
  if (!machine) return t.fail()
  const folder = temporaryFolder(t)
  const pair = await selfSigned()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, pair.cert)
  writeFileSync(keyFile, pair.key)
  const [client, peer] = [await machine.freePort(), await machine.freePort()]
  const peers = `http://127.0.0.1:${peer}`
  const endpoint = `https://localhost:${client}`
  const flags = {
    'data-dir': join(folder, 'data'),
    'listen-client-urls': `https://127.0.0.1:${client}`,
    'advertise-client-urls': endpoint,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'client-cert-auth': 'true',
    'trusted-ca-file': certFile,
    'cert-file': certFile,
    'key-file': keyFile
  }
  const command = ['etcd', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)]
  startProgram(t, machine, command, { log: join(folder, 'etcd.log') })
  const logWith = (tls: {
    readonly ca?: Buffer
    readonly cert?: Buffer
    readonly key?: Buffer
  }): EtcdSharedLog => {
    const log = new EtcdSharedLog({
      endpoints: [endpoint],
      prefix: '/annals',
      leaseTtl: LONG,
      deadline: LONG,
      tls: () => tls
    })
    t.teardown(() => log.close())
    return log
  }
  const [ca, cert, key] = [Buffer.from(pair.cert), Buffer.from(pair.cert), Buffer.from(pair.key)]
  const log = logWith({ ca, cert, key })
  await until('etcd answers', () =>
    log.clusterSeed().then(
      () => true,
      () => false
    )
  )
  const server = await serverOf(log, 'a')
  await appendAll(server, await lead(server), EMPTY, [1])
  await t.throwsAsync(logWith({ ca }).clusterSeed(), { instanceOf: SharedUnreachable })
  await t.throwsAsync(logWith({ cert, key }).clusterSeed(), { instanceOf: SharedUnreachable })
})
