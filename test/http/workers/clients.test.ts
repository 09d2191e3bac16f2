// Clients that were written for one process, and recorded cases, against a worker.
import Consul from 'consul'
import test, { type ExecutionContext } from 'ava'
import { awaited } from '../../conformance/awaited.js'
import type { Profile } from '../../conformance/case-file.js'
import { compare } from '../../conformance/compare.js'
import { caseFiles, playFile } from '../../conformance/play-file.js'
import { transcribe, type PlayedServer } from '../../conformance/player.js'
import { consulPlays } from '../../support/consul-plays.js'
import { ROOT } from '../../support/server.js'
import { serverWithWorker } from '../../support/worker.js'

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
  const { acl = 'deny', initial_management: initialManagement } = profile
  const server = await serverWithWorker(t, {
    config: {
      ports: { http: 0, dns: 0 },
      acl: {
        enabled: acl !== 'off',
        default_policy: acl === 'allow' ? 'allow' : 'deny',
        ...(initialManagement === undefined ? {} : { tokens: { initial_management: initialManagement } })
      }
    }
  })
  const { worker } = server
  let root = initialManagement
  if (acl !== 'off' && profile.bootstrap !== false && root === undefined) {
    const { text } = await worker.send('PUT', '/v1/acl/bootstrap', { token: undefined })
    const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
    root = SecretID
  }
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
    const failed: string[] = []
    for await (const { played, answers } of playFile(file, profile => start(t, profile))) {
      const faults = compare(played.steps, answers.map(transcribe)).flatMap((list, at) =>
        list.map(fault => `  step ${at + 1}, ${played.steps[at]?.do}: ${fault}`)
      )
      if (faults.length > 0 && !awaited[file.area]?.includes(played.title))
        failed.push(`${played.title}\n${faults.join('\n')}`)
    }
    t.is(failed.join('\n'), '')
  })
