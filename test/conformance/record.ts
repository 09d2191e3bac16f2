// Writes down every answer of a server to the requests of test/conformance/cases, so that two versions can be compared:
//   npm run record -- [--server DIST/server/main.js] [--area NAME] FILE
//   diff -a -U 2 -F '^# ' BEFORE AFTER
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { limitConcurrency } from '../support/concurrency-limit.js'
import { program, startServer, type Scope } from '../support/process.js'
import { canonical } from './canonical.js'
import type { CaseFile, Profile } from './case-file.js'
import { caseFiles, playFile } from './play-file.js'
import type { PlayedServer } from './player.js'

/** What a program has to release when it is over, the last first. */
class Releases implements Scope {
  readonly #releases: (() => void | Promise<void>)[] = []

  teardown(release: () => void | Promise<void>): void {
    this.#releases.push(release)
  }

  async run(): Promise<void> {
    for (const release of this.#releases.splice(0).toReversed()) await release()
  }
}

const { values, positionals } = parseArgs({
  options: { server: { type: 'string', default: program }, area: { type: 'string' } },
  allowPositionals: true
})
const [out] = positionals
if (out === undefined) throw new Error('record: the file to write is missing')

const servers = new Releases()
const turns = limitConcurrency(4)
const files = caseFiles().filter(({ area }) => values.area === undefined || values.area === area)
try {
  const recorded = await Promise.all(files.map(file => turns(() => record(file))))
  writeFileSync(out, recorded.flat().join('\n'))
  console.log(`${out}: the answers to ${recorded.flat().length} requests`)
} finally {
  await servers.run()
}

/** One text for each request of the file: what was asked, and the answer. */
async function record(file: CaseFile): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { played, answers, server } of playFile(file, start)) {
    const { port } = new URL(server.base)
    const names = { [port]: 'HTTP-PORT', [server.saved['dns_port'] ?? '']: 'DNS-PORT' }
    canonical(answers, names).forEach((answer, i) => {
      const step = played.steps[i]
      texts.push(`# ${file.area}: ${played.title}: ${i + 1}. ${step?.do}\n${answer}`)
    })
  }
  return texts
}

async function start(profile: Profile): Promise<PlayedServer> {
  const { acl = 'deny', initial_management: initialManagement } = profile
  const server = await startServer(servers, {
    main: values.server,
    nodeArguments: ['--import', join(import.meta.dirname, 'repeatable.js')],
    acl,
    ...(initialManagement === undefined ? {} : { initialManagement })
  })
  const bootstrapped = acl !== 'off' && profile.bootstrap !== false
  const root = bootstrapped && initialManagement === undefined ? await server.bootstrap() : initialManagement
  const saved = { dns_port: String(server.dnsPort), ...(root === undefined ? {} : { root }) }
  return { base: server.base, saved, pass: pause, close: () => server.kill() }
}
