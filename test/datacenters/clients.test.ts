// The recorded cases, and the client in npm's `consul`, against a datacenter that is not the primary: as against one server.
// `npm run test:datacenters` plays all of them.
import test, { type ExecutionContext } from 'ava'
import Consul from 'consul'
import {
  isList,
  isObject,
  type CaseFile,
  type Json,
  type Profile,
  type Transcript
} from '../conformance/case-file.js'
import { differingCases } from '../conformance/differing-cases.js'
import { caseFiles } from '../conformance/play-file.js'
import { transcribe, type PlayedServer } from '../conformance/player.js'
import { AgentTokens } from '../../server/settings/agent-tokens.js'
import { aclOf, rootOf } from '../conformance/profiles.js'
import { caughtUp } from '../server/cluster/replication/support.js'
import type { TestResponse } from '../support/client.js'
import { consulPlays } from '../support/consul-plays.js'
import { startDatacenters, type TestDatacenters } from '../support/datacenters.js'
import { ROOT } from '../support/server.js'

/** The datacenter of the recorded server. */
const RECORDED = 'dc1'
const OTHER = 'dc2'

/** Those that are quick and tell the most; `ANNALS_DATACENTERS_CASES` has all of them played. */
const AREAS = ['acl-policies', 'acl-tokens', 'config-mesh']
const isPlayed = (area: string): boolean =>
  process.env['ANNALS_DATACENTERS_CASES'] !== undefined || AREAS.includes(area)

/** @param primary its name; the other one takes over what it has */
const start = async (
  t: ExecutionContext,
  profile: Profile,
  primary: string
): Promise<{ readonly all: TestDatacenters; readonly root: string | undefined }> => {
  const acl = aclOf(profile)
  const secondary = primary === RECORDED ? OTHER : RECORDED
  const all = await startDatacenters(t, {
    names: [primary, secondary],
    of: name => ({
      config: {
        ports: { http: 0, dns: 0 },
        node_name: name === RECORDED ? 'server-1' : 'server-2',
        acl: name === primary ? acl : { ...acl, tokens: {}, enable_token_replication: true }
      }
    })
  })
  const root = await rootOf(profile, (method, path) =>
    all.at(primary).send(method, path, { token: undefined })
  )
  // A secondary knows no token before it replicates.
  if (root !== undefined) all.at(secondary).scope.resolve(AgentTokens).use('replication', root)
  return { all, root }
}

const playedOn = (
  all: TestDatacenters,
  asked: string,
  dns: string,
  root: string | undefined
): Omit<PlayedServer, 'settled'> => ({
  base: all.at(asked).base,
  saved: { dns_port: String(all.at(dns).dnsPort), ...(root === undefined ? {} : { root }) },
  pass: async ms => all.advance(ms),
  close: async () => {
    await Promise.all([RECORDED, OTHER].map(name => all.at(name).close()))
  }
})

/** Asks another datacenter for everything that the recorded one was asked for. */
const startAway = async (t: ExecutionContext, profile: Profile): Promise<PlayedServer> => {
  const { all, root } = await start(t, profile, RECORDED)
  return playedOn(all, OTHER, RECORDED, root)
}

/** About the server that is asked, whatever `dc` says; and all of it about `near`, which means nothing in another datacenter. */
const OF_SERVER: ReadonlySet<string> = new Set(['agent', 'query-near'])

/** By area, the cases that are not played away: of the server that is asked, and of `near`, which means nothing in another datacenter. */
const NOT_AWAY: Readonly<Record<string, readonly string[]>> = {
  'acl-tokens': [
    'a local token is marked so and its service identities cannot name datacenters',
    'a local token stays local',
    'a clone keeps locality and expiration and takes nothing but the description from the body',
    'equal content gives an equal hash'
  ],
  coordinates: [
    'near: height adds to the distance, adjustment shifts it unless it would go to 0 or below',
    'near: distance over several dimensions; equal distances keep the order of names'
  ],
  'http-edge': [
    'pretty: the same JSON',
    'broken JSON is 400 wherever JSON is read',
    'parameters that mean nothing are ignored'
  ],
  kv: [
    'ACLs off: a token that is sent does not matter',
    'default policy allow: without a token all of this is allowed; an unknown token is refused'
  ],
  logout: ['a token that was not made by login cannot log out']
}

/** Of the primary, or of one that has no other datacenters; or with namespaces, which each datacenter makes for itself. */
const OF_PRIMARY: ReadonlySet<string> = new Set(['acl-bootstrap', 'replication', 'tenancy-isolation'])

/**
 * By area, the cases that no secondary plays: of what only the primary has (global auth methods, the state of replication, namespaces in
 * which global resources are written), of what one alone tells, of an index of a copy that is given to the primary, and of the end of the
 * token by which is replicated.
 */
const NOT_IN_SECONDARY: Readonly<Record<string, readonly string[]>> = {
  'acl-enforcement': [
    'the ACL endpoints with acl read',
    'the ACL endpoints with acl write',
    'the ACL endpoints with every right but acl'
  ],
  'acl-tokens': ['the first token is like any other: it can be changed, weakened and deleted by another'],
  'auth-methods': [
    'a jwt method is created, read, listed, updated and deleted',
    'TokenLocality: local, global or empty',
    'an update replaces the method: fields not given are cleared, Type is filled in'
  ],
  'config-proxy-defaults': ['cas'],
  'http-edge': ['pretty: the same JSON', 'parameters that mean nothing are ignored'],
  'login-jwt': ['TokenLocality global makes the token global'],
  namespaces: ['a token of a namespace sees its own namespace'],
  partitions: ['policies of another partition may not name partitions or cluster-wide rules']
}

const without = (file: CaseFile, titles: readonly string[] = []): CaseFile => ({
  ...file,
  cases: file.cases.filter(({ title }) => !titles.includes(title))
})

const named = (asked: string): string =>
  /[?&](dc|datacenter)=/.test(asked) ? asked : `${asked}${asked.includes('?') ? '&' : '?'}dc=${RECORDED}`

const namingDatacenter = (file: CaseFile): CaseFile => ({
  ...file,
  cases: file.cases.map(one => ({ ...one, steps: one.steps.map(step => ({ ...step, do: named(step.do) })) }))
})

/** The recorded one is not the primary: what is global is written in the other one, and read here. */
const startSecondary = async (t: ExecutionContext, profile: Profile): Promise<PlayedServer> => {
  const { all, root } = await start(t, profile, OTHER)
  const [primary, secondary] = [all.at(OTHER), all.at(RECORDED)]
  return {
    ...playedOn(all, RECORDED, RECORDED, root),
    settled: () => caughtUp(primary, secondary),
    showsCopies: true
  }
}

/** Copies have indexes of the log that they are in. */
const withoutIndexes = (value: Json): Json => {
  if (isList(value)) return value.map(withoutIndexes)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'CreateIndex' || key === 'ModifyIndex' ? 0 : withoutIndexes(one)
    ])
  )
}

const withoutIndexesOf = (file: CaseFile): CaseFile => ({
  ...file,
  cases: file.cases.map(one => ({
    ...one,
    steps: one.steps.map(step => ({
      ...step,
      expect: { ...step.expect, body: withoutIndexes(step.expect.body) }
    }))
  }))
})

const transcribedWithoutIndexes = (answer: TestResponse): Transcript => {
  const transcript = transcribe(answer)
  return { ...transcript, body: withoutIndexes(transcript.body) }
}

for (const file of caseFiles().filter(({ area }) => isPlayed(area))) {
  const { area } = file
  if (!OF_SERVER.has(area))
    test.serial(`${area}: asked for elsewhere, every request is answered as recorded`, async t => {
      const played = namingDatacenter(without(file, NOT_AWAY[area]))
      t.is(await differingCases(played, profile => startAway(t, profile)), '')
    })

  if (!OF_PRIMARY.has(area))
    test.serial(`${area}: a secondary answers every request as recorded`, async t => {
      const played = withoutIndexesOf(without(file, NOT_IN_SECONDARY[area]))
      const transcribed = transcribedWithoutIndexes
      t.is(await differingCases(played, profile => startSecondary(t, profile), { transcribed }), '')
    })
}

/** A client registers services with the server that it asks. */
const ofServer = (title: string): boolean => title.startsWith('catalog and health')

for (const [title, play] of Object.entries(consulPlays).filter(([name]) => !ofServer(name)))
  test.serial(`npm’s consul with dc, ${title}`, async t => {
    const { all } = await start(t, { initial_management: ROOT }, RECORDED)
    const { port } = all.at(OTHER)
    await play(t, new Consul({ host: '127.0.0.1', port, defaults: { token: ROOT, dc: RECORDED } }))
  })
