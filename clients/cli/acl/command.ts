// `annals acl`: all commands of access control under one name, as in `consul acl`.
import { group, remoteCommand } from '../remote/command.js'
import { authMethodGroup } from './auth-methods.js'
import { bindingRuleGroup } from './binding-rules.js'
import { bootstrap } from './login.js'
import { explain } from './explain.js'
import { policyGroup } from './policies.js'
import { review } from './review.js'
import { roleGroup } from './roles.js'
import { tokenGroup } from './tokens.js'
import { who } from './who.js'
import { required } from '../remote/flags.js'
import { CONTENT, textContent } from '../remote/content.js'

const translateRules = remoteCommand({
  summary: 'Translate rules from the legacy syntax.',
  examples: ['annals acl translate-rules @old.hcl > new.hcl'],
  args: { rules: required(`rules in the legacy syntax; ${CONTENT}`) },
  run: async ({ send, out, args, console }) => {
    const answer = await send('POST', '/v1/acl/rules/translate', {
      body: await textContent(args.rules, console)
    })
    out.print((await answer.text()).trimEnd())
  }
})

const setAgentToken = remoteCommand({
  summary: 'Set a token that the server uses itself.',
  examples: ['annals acl set-agent-token default 049c4b06-7bff-40f3-a631-0d2ff1b0e0a4'],
  args: {
    type: required('purpose: default, agent, agent_master, replication …'),
    secret: required('SecretID of the token')
  },
  run: async ({ write, out, args }) => {
    await write('put', '/v1/agent/token/{target}', { Token: args.secret }, { target: args.type })
    out.note(`ACL token "${args.type}" set successfully`)
  }
})

export const acl = group({
  summary: 'All commands of access control, as in consul acl.',
  about: 'The groups are also top-level commands: `annals token list`.',
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
    who,
    review,
    'set-agent-token': setAgentToken,
    'translate-rules': translateRules
  }
})
