// Plays every case file in test/conformance/cases against whole servers in this process: one test per file.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { atMost } from '../support/at-most.js'
import { projectRoot } from '../support/process.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { awaited } from './awaited.js'
import type { Case, CaseFile, Profile } from './case-file.js'
import { compare } from './compare.js'
import { play } from './player.js'

const folder = join(projectRoot, 'test/conformance/cases')

/**
 * So many files are played at once: most of the time of a file with blocking queries is waiting. Every file has servers
 * of its own.
 */
const turns = atMost(6)

for (const name of readdirSync(folder)
  .filter(file => file.endsWith('.json'))
  .toSorted()) {
  const file: CaseFile = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  test(`${file.area}: every request is answered as recorded`, async t => {
    t.timeout(600_000)
    const failed = await turns(() => playFile(t, file))
    const expected = awaited[file.area] ?? []
    const unexpected = [...failed].filter(([title]) => !expected.includes(title))
    t.is(unexpected.map(([title, faults]) => `${title}\n${faults.join('\n')}`).join('\n'), '')
    t.deepEqual(
      expected.filter(title => !failed.has(title)),
      [],
      'cases that pass and are still in awaited.ts'
    )
  })
}

interface Running {
  readonly server: TestServer
  readonly saved: Readonly<Record<string, string>>
}

/** The cases that fall short, by title, with their faults. Cases share a server unless one asks for its own. */
async function playFile(
  t: ExecutionContext,
  file: CaseFile
): Promise<ReadonlyMap<string, readonly string[]>> {
  const failed = new Map<string, readonly string[]>()
  let running: Running | undefined
  for (const one of file.cases) {
    if (one.fresh === true && running !== undefined) {
      await running.server.close()
      running = undefined
    }
    running ??= await run(t, { ...file.profile, ...one.profile })
    const faults = await playCase(running, one)
    if (faults.length > 0) failed.set(one.title, faults)
    if (one.fresh !== true) continue
    await running.server.close()
    running = undefined
  }
  await running?.server.close()
  return failed
}

async function playCase({ server, saved }: Running, { steps }: Case): Promise<readonly string[]> {
  const faults = compare(steps, await play(server.base, steps, saved))
  return faults.flatMap((list, i) => list.map(fault => `  step ${i + 1}, ${steps[i]?.do}: ${fault}`))
}

async function run(t: ExecutionContext, profile: Profile): Promise<Running> {
  const { acl = 'deny', initial_management: initialManagement } = profile
  const server = await serverInProcess(t, {
    config: {
      ports: { http: 0, dns: 0 },
      acl: {
        enabled: acl !== 'off',
        default_policy: acl === 'allow' ? 'allow' : 'deny',
        ...(initialManagement === undefined ? {} : { tokens: { initial_management: initialManagement } })
      }
    }
  })
  const bootstrapped = acl !== 'off' && profile.bootstrap !== false
  const root = bootstrapped && initialManagement === undefined ? await bootstrap(server) : initialManagement
  return { server, saved: { dns_port: String(server.dnsPort), ...(root === undefined ? {} : { root }) } }
}

/** Bootstraps the ACL system and returns the secret of the first management token. @throws Error when refused */
async function bootstrap(server: TestServer): Promise<string> {
  const { status, text } = await server.send('PUT', '/v1/acl/bootstrap', { token: undefined })
  if (status !== 200) throw new Error(`bootstrap was answered ${status} ${text}`)
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  return SecretID
}
