// `annals cluster join TOKEN ADDRESS`: prepares a machine, adds its member of etcd, and runs its server.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Console, UsageError, Failed } from '../../clients/cli/console.js'
import { SharedUnreachable } from '../../events/log/cluster/shared-log.js'
import { EtcdAdministration } from '../../events/log/etcd/administration.js'
import type { EtcdMember } from '../../events/log/etcd/member-messages.js'
import { MAX_VOTERS } from '../cluster/etcd/admit-machine.js'
import { createRequest } from '../cluster/etcd/certificates.js'
import { EtcdProcess } from '../cluster/etcd/etcd-process.js'
import { findEtcd, versionWarning, type EtcdVersion } from '../cluster/etcd/etcd-program.js'
import { createFolder, replaceFile } from '../cluster/etcd/files.js'
import { parseJoinToken, type JoinToken } from '../cluster/etcd/join-tokens.js'
import { writeMemberList } from '../cluster/etcd/member-list.js'
import { rmSync } from 'node:fs'
import type { Settings } from '../settings/settings.js'
import { findAdmitter, requestAdmission, type Admission } from './cluster-admission.js'
import {
  checkPorts,
  deleteFolder,
  liveSettings,
  machineOf,
  memberUrls,
  openFolder,
  readText,
  serveMachine,
  untilDone,
  writeMachine,
  type Machine,
  type MachineFiles,
  type MachineOptions
} from './cluster-machine.js'

/** @param text the token, or `-` for the first line of the standard input @throws UsageError */
const readToken = async (text: string, { in: input }: Console): Promise<JoinToken> => {
  const [line = ''] = text === '-' ? await once(createInterface({ input }), 'line') : [text]
  const token = parseJoinToken(String(line).trim())
  if (!token)
    throw new UsageError('the join token is incomplete: copy the whole command of annals cluster init')
  if (Date.now() > token.expires)
    throw new UsageError(
      `the join token expired at ${new Date(token.expires).toISOString()}: create another one with annals cluster token on a server of the cluster`
    )
  return token
}

/** Creates the key and the request of the machine, or reads those of a join that did not end. */
const requestOf = async (files: MachineFiles, { name }: Machine, isPending: boolean): Promise<string> => {
  if (isPending) return readText(files.request)
  const { key, request } = await createRequest(name)
  createFolder(files.folder)
  replaceFile(files.key, key)
  replaceFile(files.request, request)
  return request
}

const connected = (files: MachineFiles, { Members }: Admission): EtcdAdministration => {
  const [ca, cert, key] = [files.authority, files.certificate, files.key].map(path =>
    Buffer.from(readText(path))
  )
  return new EtcdAdministration({
    endpoints: Members.map(({ client }) => client),
    tls: () => ({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) })
  })
}

/** Adds the member without a vote, unless an earlier attempt has. @throws EtcdFailure; Failed */
const addMember = async (etcd: EtcdAdministration, peer: string, hasData: boolean): Promise<EtcdMember> => {
  const isOwn = ({ peerURLs = [] }: EtcdMember): boolean => peerURLs.includes(peer)
  const own = (await etcd.members()).find(isOwn)
  if (own && hasData) return own
  if (own && own.isLearner !== true)
    throw new Failed(
      `etcd has a member at ${peer} whose data is not here: remove it first, with annals cluster leave --name ${own.name ?? own.ID} on another server`
    )
  // It has no vote and no data yet.
  if (own) await etcd.remove(own.ID)
  const added = await etcd.addLearner(peer)
  if (!added) throw new Failed('etcd did not add the member')
  return added
}

/** Starts the member on the data of the others, and gives it its vote. */
const startMember = async (
  settings: Settings,
  etcd: EtcdAdministration,
  version: EtcdVersion,
  machine: Machine
): Promise<void> => {
  const { client_url: client, peer_url: peer } = memberUrls(machine)
  const own = new EtcdProcess(settings)
  // etcd adds no member while another one is being added, or for 5 s after it was added.
  const added = await untilDone('etcd adds no member', undefined, () => addMember(etcd, peer, own.hasData))
  const members = (await etcd.members()).map(
    ({ ID, name, peerURLs: [url = ''] = [], clientURLs: [at = ''] = [] }) =>
      ID === added.ID
        ? { name: machine.name, peer, client }
        : { name: name ?? `member-${ID}`, peer: url, client: at }
  )
  writeMemberList(settings, members)
  if (own.pid === undefined) await own.start(version)
  await untilDone('the member of etcd does not catch up', own, async () => {
    const now = (await etcd.members()).find(({ ID }) => ID === added.ID)
    if (now?.isLearner === true) await etcd.promote(added.ID)
    else if (!now?.name) throw new SharedUnreachable('it has not started')
  })
}

/** Writes the configuration, and starts the member. A repeated command continues. */
const prepare = async (
  files: MachineFiles,
  machine: Machine,
  admission: Admission,
  {
    authority,
    version,
    env
  }: { readonly authority: string; readonly version: EtcdVersion; readonly env: Console['env'] }
): Promise<void> => {
  const { Certificate: certificate, Members, Datacenter, Prefix, Quota } = admission
  const isVoter = Members.length < MAX_VOTERS || Members.some(({ name }) => name === machine.name)
  const facts = {
    datacenter: Datacenter,
    encryptionKey: admission.EncryptionKey,
    secret: admission.ClusterSecret,
    prefix: Prefix,
    quota: Quota,
    ...(!isVoter && { endpoints: Members.map(({ client }) => client) })
  }
  writeMachine(files, machine, facts, { authority, certificate })
  if (isVoter) {
    const etcd = connected(files, admission)
    try {
      await startMember(liveSettings(files, env).current, etcd, version, machine)
    } finally {
      etcd.close()
    }
  }
  rmSync(files.request)
}

/** @throws UsageError SettingsError; Failed: nothing is left behind before the cluster has admitted the machine */
export const joinMachine = async (
  [text, address]: readonly [token: string, address: string],
  options: MachineOptions,
  console: Console
): Promise<void> => {
  // The arguments of a process are visible to all users of the machine.
  process.title = 'annals cluster join'
  const { out, err, env } = console
  const token = await readToken(text, console)
  const version = await findEtcd()
  const warning = versionWarning(version)
  if (warning !== undefined) err.write(`annals: warning: ${warning}\n`)
  const { files, isPending } = openFolder(options.dir)
  const admitter = await findAdmitter(address, token)
  const machine = machineOf(options, options.address ?? admitter.ownAddress)
  if (!isPending) await checkPorts(machine)
  let isAdmitted = isPending
  try {
    const Request = await requestOf(files, machine, isPending)
    const { peer_url: PeerURL } = memberUrls(machine)
    const { id: ID, secret: Secret } = token
    const input = { ID, Secret, Name: machine.name, Host: machine.address, PeerURL, Request }
    const admission = await requestAdmission(admitter, input)
    isAdmitted = true
    await prepare(files, machine, admission, { authority: admitter.authority, version, env })
  } catch (error) {
    if (isAdmitted) err.write('annals: the join did not end: repeat the same command, which continues\n')
    else deleteFolder(files)
    throw error
  }
  out.write(`${machine.name} has joined the cluster. ${files.folder} has its configuration, keys and data.\n`)
  await serveMachine(files, options, console)
}
