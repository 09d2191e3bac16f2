// Clients that were written for one process, and recorded cases, against a worker.
import Consul from 'consul'
import test, { type ExecutionContext } from 'ava'
import type { Profile } from '../../../conformance/case-file.js'
import { differingCases } from '../../../conformance/differing-cases.js'
import { caseFiles } from '../../../conformance/play-file.js'
import type { PlayedServer } from '../../../conformance/player.js'
import { aclOf, rootOf } from '../../../conformance/profiles.js'
import { consulPlays } from '../../../support/consul-plays.js'
import { ROOT } from '../../../support/server.js'
import { serverWithWorker } from '../../../support/worker.js'

/** Those that read, wait and stream the most; `ANNALS_WORKERS_CASES` has all of them played. */
const AREAS = ['kv', 'sessions']
const isPlayed = (area: string): boolean =>
  process.env['ANNALS_WORKERS_CASES'] !== undefined || AREAS.some(name => area.startsWith(name))

for (const [title, play] of Object.entries(consulPlays))
  test.serial(title, async t => {
    const { worker } = await serverWithWorker(t, { config: { compat: true } })
    await play(t, new Consul({ host: '127.0.0.1', port: worker.port, defaults: { token: ROOT } }))
  })

const start = async (t: ExecutionContext, profile: Profile): Promise<PlayedServer> => {
  const server = await serverWithWorker(t, {
    config: { ports: { http: 0, dns: 0 }, acl: aclOf(profile) }
  })
  const { worker } = server
  const root = await rootOf(profile, (method, path) => worker.send(method, path, { token: undefined }))
  return {
    base: worker.base,
    saved: { dns_port: String(worker.dnsPort), ...(root === undefined ? {} : { root }) },
    pass: async ms => server.advance(ms),
    settled: () => worker.send('GET', '/v1/kv/settled'),
    close: server.close
  }
}

for (const file of caseFiles().filter(({ area }) => isPlayed(area)))
  test.serial(`${file.area}: a worker answers every request as recorded`, async t => {
    t.is(await differingCases(file, profile => start(t, profile)), '')
  })
