// The pages of the documentation in the order in which they are read.

/** An entry of the table of contents. @param path of the page, without its ending */
export const page = (text, path) => ({ text, link: `/${path}` })

export const sections = [
  {
    text: 'Tutorials',
    items: [
      page('First server', 'tutorials/first-server'),
      page('First service and query', 'tutorials/first-service'),
      page('Follow the stream', 'tutorials/follow-the-stream'),
      page('Month-end audit', 'tutorials/month-end-audit')
    ]
  },
  {
    text: 'How-to guides',
    items: [
      page('Install a server', 'how-to/install'),
      page('Secure a server', 'how-to/secure-a-server'),
      page('Turn on TLS', 'how-to/tls'),
      page('Back up and restore', 'how-to/back-up-and-restore'),
      page('Monitor', 'how-to/monitor'),
      page('Upgrade', 'how-to/upgrade'),
      page('Recover', 'how-to/recover'),
      page('Three servers', 'how-to/three-servers'),
      page('Second datacenter', 'how-to/second-datacenter'),
      page('Move from Consul', 'how-to/move-from-consul'),
      page('Least privilege', 'how-to/least-privilege'),
      page('Tighten a policy', 'how-to/tighten-a-policy'),
      page('Log in with a JWT', 'how-to/log-in-with-a-jwt'),
      page('Rotate a token', 'how-to/rotate-a-token'),
      page('Find and restore a change', 'how-to/restore-a-change'),
      page('Legal hold', 'how-to/legal-hold'),
      page('Apply from files', 'how-to/apply-from-files'),
      page('Canary', 'how-to/canary'),
      page('Lock a job', 'how-to/lock-a-job')
    ]
  },
  {
    text: 'Reference',
    items: [
      page('Endpoints', 'reference/endpoints'),
      page('Errors by code', 'reference/errors'),
      page('Command line', 'reference/cli'),
      page('Settings', 'reference/settings'),
      page('Event stream', 'reference/event-stream'),
      page('Events and payloads', 'reference/events'),
      page('Cursors and webhooks', 'reference/cursors'),
      page('Consumer groups', 'reference/consumer-groups'),
      page('History and revert', 'reference/history'),
      page('Audit', 'reference/audit'),
      page('Checkpoints and evidence', 'reference/evidence'),
      page('Published logs', 'reference/publication'),
      page('Erasure', 'reference/erasure'),
      page('Idempotency', 'reference/idempotency'),
      page('Rules', 'reference/rules'),
      page('Auth methods', 'reference/auth-methods'),
      page('Configuration entries', 'reference/config-entries'),
      page('Transactions', 'reference/transactions'),
      page('Change sets', 'reference/change-sets'),
      page('Metrics', 'reference/metrics'),
      page('Limits', 'reference/limits'),
      page('Sizing', 'reference/sizing'),
      page('Files of the log', 'reference/log-files'),
      page('Cluster', 'reference/cluster'),
      page('Datacenters', 'reference/datacenters'),
      page('Workers', 'reference/workers'),
      page('TypeScript client', 'reference/client'),
      page('Library', 'reference/library'),
      page('Recorded conversations', 'reference/recorded-conversations'),
      page('Web UI', 'reference/ui'),
      page('Compatibility with Consul', 'reference/consul-compatibility')
    ]
  },
  {
    text: 'Explanation',
    items: [
      page('Concepts', 'explanation/concepts'),
      page('Architecture', 'explanation/architecture'),
      page('Guarantees', 'explanation/guarantees'),
      page('Cluster protocol', 'explanation/protocol'),
      page('Scale', 'explanation/scale'),
      page('Security model', 'explanation/security'),
      page('Comparison', 'explanation/comparison'),
      page('FAQ', 'explanation/faq'),
      page('Troubleshooting', 'explanation/troubleshooting'),
      page('Glossary', 'explanation/glossary'),
      page('Benchmarks', 'benchmarks')
    ]
  }
]
