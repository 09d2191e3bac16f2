// Plays every case file in test/conformance/cases against whole servers in this process: one test per file.
import test, { type ExecutionContext } from 'ava'
import { limitConcurrency } from '../support/concurrency-limit.js'
import { serverInProcess } from '../support/server.js'
import { knownDifferences } from './known-differences.js'
import type { Profile } from './case-file.js'
import { compare } from './compare.js'
import { ApiDescription } from './api-description.js'
import { caseFiles, playFile, type PlayedCase } from './play-file.js'
import { transcribe, type PlayedServer } from './player.js'
import { aclOf, rootOf } from './profiles.js'

const description = new ApiDescription()

/**
 * So many files are played at once: most of the time of a file with blocking queries is waiting. Every file has servers
 * of its own.
 */
const turns = limitConcurrency(6)

for (const file of caseFiles())
  test(`${file.area}: every request is answered as recorded`, async t => {
    const failed = new Map<string, readonly string[]>()
    await turns(async () => {
      for await (const one of playFile(file, profile => start(t, profile))) {
        const faults = faultsOf(one)
        if (faults.length > 0) failed.set(one.played.title, faults)
      }
    })
    const expected = knownDifferences[file.area] ?? []
    const unexpected = [...failed].filter(([title]) => !expected.includes(title))
    t.is(unexpected.map(([title, faults]) => `${title}\n${faults.join('\n')}`).join('\n'), '')
    t.deepEqual(
      expected.filter(title => !failed.has(title)),
      [],
      'cases that pass and are still in awaited.ts'
    )
  })

function faultsOf({ played: { steps }, answers }: PlayedCase): readonly string[] {
  const transcripts = answers.map(transcribe)
  const different = compare(steps, transcripts)
  return steps.flatMap((step, i) => {
    const answer = transcripts[i]
    const undescribed = answer ? description.faults(step.do, answer) : []
    const faults = [...(different[i] ?? []), ...undescribed]
    return faults.map(fault => `  step ${i + 1}, ${step.do}: ${fault}`)
  })
}

/** Nodes are found by a prefix of their ID: a random one may begin with the name of a node in a case. */
const NODE_ID = 'ffffffff-0000-4000-8000-000000000001'

async function start(t: ExecutionContext, profile: Profile): Promise<PlayedServer> {
  const server = await serverInProcess(t, {
    config: { node_id: NODE_ID, ports: { http: 0, dns: 0 }, acl: aclOf(profile) }
  })
  const root = await rootOf(profile, (method, path) => server.send(method, path, { token: undefined }))
  const saved = { dns_port: String(server.dnsPort), ...(root === undefined ? {} : { root }) }
  return {
    base: server.base,
    saved,
    pass: async ms => server.advance(ms),
    close: () => server.close()
  }
}
