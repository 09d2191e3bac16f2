// The members of a managed etcd as a machine last knew them, by which its server and its member find the others at a start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { hasCode } from '../../../events/errors.js'
import type { EtcdMember } from '../../../events/log/etcd/member-messages.js'
import { etcdFolder, type Settings, SettingsError } from '../../settings/settings.js'
import { replaceFile } from './files.js'

const listedMember = Type.Object({ name: Type.String(), peer: Type.String(), client: Type.String() })

/** Name of a member, and where members and servers reach it; `client` is empty before its first start. */
type ListedMember = Type.Static<typeof listedMember>

const memberList = Type.Array(listedMember)

const pathOf = ({ data_dir }: Pick<Settings, 'data_dir'>): string =>
  join(etcdFolder(data_dir), 'members.json')

/** @throws SettingsError when the file is damaged */
export const readMemberList = (settings: Pick<Settings, 'data_dir'>): readonly ListedMember[] => {
  try {
    return Value.Decode(memberList, JSON.parse(readFileSync(pathOf(settings), 'utf8')))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw new SettingsError(`${pathOf(settings)} is not a list of members: restore it from another server`)
  }
}

export const writeMemberList = (
  settings: Pick<Settings, 'data_dir'>,
  members: readonly ListedMember[]
): void => replaceFile(pathOf(settings), `${JSON.stringify(members, undefined, 2)}\n`)

/** Returns the members that vote and have started. Learners answer no server. */
export const votersOf = (members: readonly EtcdMember[]): readonly ListedMember[] =>
  members
    .filter(({ isLearner = false }) => !isLearner)
    .flatMap(({ name, peerURLs: [peer] = [], clientURLs: [client] = [] }) =>
      name === undefined || peer === undefined || client === undefined ? [] : [{ name, peer, client }]
    )

/** Returns where servers reach etcd; for a managed one the own member first. */
export const etcdEndpoints = (settings: Pick<Settings, 'data_dir' | 'cluster'>): readonly string[] => {
  const { managed, endpoints, client_url: own = '' } = settings.cluster.etcd
  if (!managed) return endpoints
  const others = readMemberList(settings).map(({ client }) => client)
  return [own, ...others.filter(client => client !== own && client !== '')]
}
