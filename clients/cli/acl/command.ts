// `annals acl`: all commands of access control under one name, as in `consul acl`.
import { group, remoteCommand } from '../remote/command.js'
import { authMethodGroup } from './auth-methods.js'
import { bindingRuleGroup } from './binding-rules.js'
import { bootstrap } from './login.js'
import { explain, sourceText } from './explain.js'
import { policyGroup } from './policies.js'
import { roleGroup } from './roles.js'
import { tokenGroup } from './tokens.js'
import { required, moment, text, texts } from '../remote/flags.js'
import { CONTENT, textContent } from '../remote/content.js'
import { UsageError, Failed } from '../console.js'
import { pastMoment } from '../history/moments.js'
import { table } from '../remote/output.js'

/** The exit code of a review with findings. */
const FINDINGS = 2

const review = remoteCommand({
  summary: 'Find tokens, roles and policies that weaken access control or serve nothing.',
  about:
    'Prints the command that fixes each finding. Exit codes: 0 for no findings, 2 for findings, 1 for errors.',
  examples: [
    'annals acl review',
    'annals acl review -unused-for 720h -older-than 2160h',
    'annals acl review -check unused-token -check old-secret      in CI'
  ],
  flags: {
    check: texts('name', 'only this check, such as unused-token or policy-without-link'),
    unusedFor: text('duration', 'time without a use after which a token is unused (default: 2160h)'),
    days: text('number', 'days that must be recorded before an unused token or right is a finding'),
    olderThan: text('duration', 'age from which a secret is old (default: 8760h)')
  },
  isRead: true,
  run: async ({ read, out, flags: { check, unusedFor, olderThan, days } }) => {
    const findings = await read('/v1/acl/review', {
      check,
      days,
      'unused-for': unusedFor,
      'older-than': olderThan
    })
    out.show(findings, all =>
      table(
        ['Check', 'Kind', 'ID', 'Name', 'Namespace', ['Finding', 'Message'], 'Fix'],
        all.map(({ Fix, ...finding }) => ({ ...finding, Fix: Fix.join(' && ') }))
      )
    )
    if (findings.length > 0)
      throw new Failed(
        `the review has ${findings.length === 1 ? 'a finding' : `${findings.length} findings`}`,
        FINDINGS
      )
  }
})

const who = remoteCommand({
  summary: 'List the tokens, logins, roles and binding rules that have a permission.',
  about:
    'Each comes with the rule that decides. Write "" as the name for resources without names, such as acl. With --since, the list has only\nwhat lacked the permission at that time. The time --until is now by default.',
  examples: [
    'annals acl who key config/db write',
    'annals acl who acl "" write --at yesterday',
    'annals acl who key config/db write --since 30d       who gained it'
  ],
  args: {
    resource: required('resource of the rule language, such as key or service'),
    segment: required('name of the key, service or other resource'),
    access: required('read, list, write or write-prefix')
  },
  flags: {
    at: moment('who could then'),
    since: moment('only who could not then'),
    until: moment('end of the period that begins with --since')
  },
  isRead: true,
  run: async ({ read, out, args, flags: { at, since, until } }) => {
    if (at !== undefined && (since ?? until) !== undefined)
      throw new UsageError('--at and --since exclude each other')
    const past = async (time: string | undefined) => time && pastMoment(read, time)
    const found = await read('/v1/acl/who', {
      ...args,
      at: await past(at),
      from: await past(since),
      to: await past(until)
    })
    out.show(found, holders =>
      table(
        ['Kind', 'ID', 'Name', 'Namespace', 'Rule', 'From', 'Selector'],
        holders.map(({ Rule, Source, DefaultPolicy, ...holder }) => ({
          ...holder,
          Rule: Rule ? `${Rule.Text} ${Rule.Level}` : `default policy ${DefaultPolicy ?? ''}`,
          From: Source && [Source, ...Source.Links].map(sourceText).join(', ')
        }))
      )
    )
  }
})

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
