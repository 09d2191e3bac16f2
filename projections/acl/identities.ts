import type { Level, LabelledResource, Match, Rule, RuleSet } from './rules/model.js'

/** Valid where `Datacenters` is empty or names the local datacenter. */
interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[] | null
}

/** Valid in its datacenter only. */
interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}

/** One set of rules for each service identity that is valid in the datacenter (spec: acl.md §7.2). */
export const serviceIdentityRules = (
  identities: readonly ServiceIdentity[],
  datacenter: string
): readonly RuleSet[] =>
  identities
    .filter(({ Datacenters }) => !Datacenters || Datacenters.length === 0 || Datacenters.includes(datacenter))
    .map(({ ServiceName }) => ({
      rules: [
        rule('service', 'exact', ServiceName, 'write'),
        rule('service', 'exact', `${ServiceName}-sidecar-proxy`, 'write'),
        rule('service', 'prefix', '', 'read'),
        rule('node', 'prefix', '', 'read')
      ],
      blocks: [],
      warnings: []
    }))

/** One set of rules for each node identity valid in the datacenter. Services may be read in every namespace of the partition (tenancy.md §6.1). */
export const nodeIdentityRules = (
  identities: readonly NodeIdentity[],
  datacenter: string
): readonly RuleSet[] =>
  identities
    .filter(({ Datacenter }) => Datacenter === datacenter)
    .map(({ NodeName }) => {
      const readServices = rule('service', 'prefix', '', 'read')
      return {
        rules: [rule('node', 'exact', NodeName, 'write'), readServices],
        blocks: [{ partition: null, namespace: { match: 'prefix', label: '' }, rules: [readServices] }],
        warnings: []
      }
    })

const rule = (resource: LabelledResource, match: Match, label: string, level: Level): Rule => ({
  resource,
  match,
  label,
  level,
  intentions: null,
  line: 0,
  column: 0
})
