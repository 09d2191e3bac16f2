// Admits machines that `annals cluster join` prepares: checks the join token, and signs their certificates.
import { isIP } from 'node:net'
import { recovery } from '../../../events/errors.js'
import { SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import type { EtcdAdministration } from '../../../events/log/etcd/administration.js'
import type { JoinInput, JoinOutcome } from '../../../http/routes/internal/join.js'
import { NAME } from '../../settings/schema.js'
import type { Settings } from '../../settings/settings.js'
import { MEMBER_URL } from '../../settings/schema-cluster.js'
import { keyOfRequest, signRequest } from './certificates.js'
import { readAuthority } from './cluster-authority.js'
import { withEtcd } from './etcd-connection.js'
import { JoinTokens } from './join-tokens.js'
import { votersOf } from './member-list.js'

/** With more voters, writes become slower, and no safer in practice. */
export const MAX_VOTERS = 5

/** Returns the certificate's names of a machine. */
export const hostsOf = (name: string, host: string): readonly string[] => [
  ...new Set([host, '127.0.0.1', 'localhost', name])
]

const invalid = (reason: string): JoinOutcome => ({ kind: 'invalid', reason })
const denied = (reason: string): JoinOutcome => ({ kind: 'denied', reason })

const faultOf = ({ Name, Host, PeerURL }: JoinInput): string | undefined => {
  if (!new RegExp(NAME).test(Name))
    return 'Invalid Name: it must be 1 to 64 letters, digits, hyphens and underscores'
  if (isIP(Host) === 0) return 'Invalid Host: it must be an IP address'
  if (!new RegExp(MEMBER_URL).test(PeerURL))
    return 'Invalid PeerURL: it must be https, an IP address and a port'
  return undefined
}

/** Refuses a name that another machine has. */
const nameFault = async (
  { Name, PeerURL }: JoinInput,
  etcd: EtcdAdministration
): Promise<string | undefined> => {
  const members = await etcd.members()
  const namesake = members.find(({ name }) => name?.toLowerCase() === Name.toLowerCase())
  if (!namesake || namesake.peerURLs?.includes(PeerURL)) return undefined
  return `The name ${Name} belongs to a machine of the cluster: use --name, or if that machine is lost, remove it first with annals cluster leave --name ${Name}`
}

const admitted = async (
  settings: Settings,
  input: JoinInput,
  etcd: EtcdAdministration
): Promise<JoinOutcome> => {
  const key = await keyOfRequest(input.Request)
  if (key === undefined) return invalid('Invalid Request: it must be a signed PKCS #10 request in PEM')
  const machine = { name: input.Name, key }
  const token = { id: input.ID, secret: input.Secret }
  const tokens = new JoinTokens(etcd, settings.cluster.etcd.prefix)
  const refusal = await tokens.use(token, machine, Date.now(), true)
  if (refusal !== undefined) return denied(refusal)
  const fault = faultOf(input) ?? (await nameFault(input, etcd))
  if (fault !== undefined) return invalid(fault)
  const authority = await readAuthority(settings, etcd)
  if (!authority) return { kind: 'unavailable', reason: 'etcd has no authority for this encryption.key' }
  const late = await tokens.use(token, machine, Date.now())
  if (late !== undefined) return denied(late)
  const { datacenter, encryption, cluster } = settings
  const certificate = await signRequest(authority, input.Request, input.Name, hostsOf(input.Name, input.Host))
  return {
    kind: 'joined',
    view: {
      Certificate: certificate,
      EncryptionKey: encryption.key ?? '',
      ClusterSecret: cluster.secret ?? '',
      Datacenter: datacenter,
      Prefix: cluster.etcd.prefix,
      Quota: cluster.etcd.quota,
      Members: votersOf(await etcd.members())
    }
  }
}

/** Checks the join token of a machine, and signs its certificate. */
export const admitMachine = (settings: Settings, input: JoinInput): Promise<JoinOutcome> =>
  withEtcd(settings, etcd => admitted(settings, input, etcd)).catch(
    recovery(SharedUnreachable, ({ message }) => ({ kind: 'unavailable', reason: message }))
  )
