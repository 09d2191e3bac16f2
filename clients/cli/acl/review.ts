import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { text, texts } from '../remote/flags.js'
import { table } from '../remote/output.js'

/** The exit code of a review with findings. */
const FINDINGS = 2

export const review = remoteCommand({
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
    days: text('number', 'days that must be recorded before an unused right is a finding'),
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
