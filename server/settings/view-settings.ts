// What the read models need of the settings.
import type { ViewOptions } from '../../projections/read-models.js'
import type { Settings } from './settings.js'

const NS_PER_MS = 1e6

export const viewSettings = ({ datacenter, primary_datacenter, acl }: Settings): ViewOptions => ({
  datacenter,
  isPrimary: datacenter === primary_datacenter,
  aclEnabled: acl.enabled,
  defaultPolicy: acl.default_policy,
  tokenLife: { min: acl.token_min_ttl * NS_PER_MS, max: acl.token_max_ttl * NS_PER_MS }
})
