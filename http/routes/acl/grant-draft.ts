// From the links and identities in a body to what a command says of them.
import type { Static } from 'typebox'
import type { GrantDraft, LinkDraft } from '../../../actors/grants.js'
import { compact } from '../../wire/bodies/compact.js'
import type { roleBody } from '../../schemas/acl.js'

/** Shared by all that were given nothing. */
const NONE: readonly never[] = []

type GrantFields = Pick<Static<typeof roleBody>, 'Policies' | 'ServiceIdentities' | 'NodeIdentities'>

export const linkDrafts = (given: GrantFields['Policies']): readonly LinkDraft[] =>
  given?.map(compact) ?? NONE

/** What tokens and roles have in common; empty where nothing was said. */
export const grantDraft = ({ Policies, ServiceIdentities, NodeIdentities }: GrantFields): GrantDraft => ({
  Policies: linkDrafts(Policies),
  ServiceIdentities:
    ServiceIdentities?.map(({ ServiceName = '', Datacenters }) => compact({ ServiceName, Datacenters })) ??
    NONE,
  NodeIdentities:
    NodeIdentities?.map(({ NodeName = '', Datacenter = '' }) => ({ NodeName, Datacenter })) ?? NONE
})
