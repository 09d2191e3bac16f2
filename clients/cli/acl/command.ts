// `annals acl`: the commands about who may do what, under one name as `consul acl` has them.
import { group } from '../remote/command.js'
import { authMethodGroup } from './auth-methods.js'
import { bindingRuleGroup } from './binding-rules.js'
import { bootstrap } from './bootstrap.js'
import { explain } from './explain.js'
import { policyGroup } from './policies.js'
import { roleGroup } from './roles.js'
import { setAgentToken } from './set-agent-token.js'
import { tokenGroup } from './tokens.js'
import { translateRules } from './translate-rules.js'

export const acl = group({
  summary: 'All of the access control, under one name.',
  about:
    'Tokens, policies, roles, auth methods and binding rules are commands of their own, too: `annals token list`.',
  examples: [
    'annals acl bootstrap',
    'annals acl token list',
    'annals acl policy create -name web -rules @web.hcl'
  ],
  commands: {
    bootstrap,
    token: tokenGroup,
    policy: policyGroup,
    role: roleGroup,
    'auth-method': authMethodGroup,
    'binding-rule': bindingRuleGroup,
    explain,
    'set-agent-token': setAgentToken,
    'translate-rules': translateRules
  }
})
