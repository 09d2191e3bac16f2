// The codes of refusals. A code is part of the API: it never changes its meaning, and texts may.

export type RefusalKind =
  /** The request breaks a rule: 400. */
  | 'invalid'
  /** ACLs are off: 401. */
  | 'disabled'
  /** The token is unknown, deleted or expired, or a permission is missing: 403. */
  | 'denied'
  /** The resource does not exist: 404. */
  | 'missing'
  /** The path has no such method: 405. */
  | 'method'
  /** The requested data was pruned: 410. */
  | 'gone'
  /** The current state forbids it: 409. */
  | 'conflict'
  /** The request did not arrive in time: 408. */
  | 'timeout'
  /** More than a limit allows: 413. */
  | 'too-large'
  /** The request expects what the server does not support: 417. */
  | 'expectation'
  /** The host of the request is not this server: 421. */
  | 'misdirected'
  /** The request differs from the one that it repeats: 422. */
  | 'mismatch'
  /** More often than a limit allows: 429. */
  | 'too-many'
  /** The headers are larger than a limit allows: 431. */
  | 'headers-too-large'
  /** A fault of the server: 500. */
  | 'internal'
  /** The version of Node that runs the server lacks a feature: 501. */
  | 'unsupported'
  /** An upstream such as an identity provider failed: 502. */
  | 'upstream'
  /** The other datacenter is unreachable, and nothing was changed there: 500. */
  | 'unreachable'
  /** The log cannot be written now: 503. */
  | 'unavailable'
  /** This server is not the leader; nothing was changed: 503. */
  | 'not-leader'
  /** The log failed or another server was lost during the write, which may be stored or not: 500. */
  | 'unknown'

/** The HTTP statuses of the kinds. */
export const STATUSES: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  disabled: 401,
  denied: 403,
  missing: 404,
  method: 405,
  gone: 410,
  conflict: 409,
  timeout: 408,
  'too-large': 413,
  expectation: 417,
  misdirected: 421,
  mismatch: 422,
  'too-many': 429,
  'headers-too-large': 431,
  internal: 500,
  unsupported: 501,
  upstream: 502,
  unreachable: 500,
  unavailable: 503,
  'not-leader': 503,
  unknown: 500
}

/** By code: the kind, which determines the status, and the meaning, which `docs/reference/errors.md` and the API description show. */
export const REFUSALS = {
  'acl.auth-method.invalid': [
    'invalid',
    'The auth method breaks a rule. The message names the field and the rule.'
  ],
  'acl.auth-method.missing': ['missing', 'The auth method does not exist.'],
  'acl.auth-method.not-found': ['denied', 'The auth method of the login does not exist.'],
  'acl.auth-method.provider-failed': [
    'invalid',
    'The provider of the auth method cannot be reached or gave an invalid response.'
  ],
  'acl.auth-method.unknown': ['invalid', 'The auth method of a binding rule does not exist.'],
  'acl.binding-rule.invalid': [
    'invalid',
    'The binding rule breaks a rule. The message names the field and the rule.'
  ],
  'acl.binding-rule.not-found': ['missing', 'The binding rule does not exist.'],
  'acl.binding-rule.unknown': ['missing', 'The binding rule to update does not exist.'],
  'acl.bootstrap.done': ['denied', 'The first management token exists already.'],
  'acl.bootstrap.reset-index-wrong': ['invalid', 'The reset file does not name the current reset index.'],
  'acl.disabled': ['disabled', 'ACLs are off.'],
  'acl.grant.invalid': [
    'invalid',
    'The grants of a token or role breaks a rule. The message names the field and the rule.'
  ],
  'acl.impact.too-large': [
    'too-large',
    'The rules and tokens that the thread compares do not fit into memory.'
  ],
  'acl.impact.too-many': [
    'too-many',
    'Too many impacts and earlier permissions wait for their turn. Retry later.'
  ],
  'acl.invalid': ['invalid', 'The ACL request breaks a rule. The message names the field and the rule.'],
  'acl.link.unknown': ['invalid', 'A linked policy or role does not exist.'],
  'acl.login.denied': ['denied', 'The credential or identity of the login is not accepted.'],
  'acl.login.invalid': ['invalid', 'The login breaks a rule. The message names the field and the rule.'],
  'acl.login.too-many': ['too-many', 'Too many OIDC logins were started from one address.'],
  'acl.login.unavailable': ['unavailable', 'The login is unavailable now. Nothing was changed; retry later.'],
  'acl.login.upstream-failed': ['upstream', 'The identity provider failed.'],
  'acl.not-found': ['denied', 'The token or policy of the request does not exist.'],
  'acl.permission.denied': ['denied', "The caller's token lacks the permission that the message names."],
  'acl.policy.built-in': ['invalid', 'Builtin policies cannot be changed this way.'],
  'acl.policy.invalid': ['invalid', 'The policy breaks a rule. The message names the field and the rule.'],
  'acl.policy.name-taken': ['invalid', 'Another policy has this name.'],
  'acl.policy.not-found': ['invalid', 'The policy to update does not exist.'],
  'acl.policy.proposal-changed': ['conflict', 'The proposal was changed after it was read.'],
  'acl.policy.proposal-invalid': [
    'invalid',
    'The proposal breaks a rule. The message names the field and the rule.'
  ],
  'acl.policy.proposal-not-found': ['missing', 'The policy has no proposal.'],
  'acl.policy.proposal-outdated': ['conflict', 'The policy was changed after the proposal.'],
  'acl.policy.rules-invalid': ['invalid', 'The rules of the policy are invalid.'],
  'acl.role.invalid': ['invalid', 'The role breaks a rule. The message names the field and the rule.'],
  'acl.role.missing': ['missing', 'The role does not exist.'],
  'acl.role.name-taken': ['invalid', 'Another role has this name.'],
  'acl.role.not-found': ['invalid', 'The role to update does not exist.'],
  'acl.token.built-in': ['invalid', 'The anonymous token cannot be deleted or rotated.'],
  'acl.token.expiration-invalid': ['invalid', 'The expiration of the token is out of range.'],
  'acl.token.id-taken': ['invalid', 'Another token has this AccessorID or SecretID.'],
  'acl.token.immutable': ['invalid', 'This field of a token cannot change.'],
  'acl.token.invalid': ['invalid', 'The token breaks a rule. The message names the field and the rule.'],
  'acl.token.not-clonable': ['invalid', 'Tokens of logins and legacy tokens cannot be cloned.'],
  'acl.token.not-found': ['invalid', 'The token does not exist.'],
  'acl.token.not-from-login': ['denied', 'Only a token of a login can log out.'],
  'acl.token.not-rotatable': ['invalid', 'Tokens of logins and replaced tokens cannot be rotated.'],
  'acl.token.unknown': ['denied', 'No token has the secret of the request.'],
  'agent.invalid': ['invalid', 'The agent request breaks a rule. The message names the field and the rule.'],
  'agent.not-found': ['missing', 'The agent request does not exist.'],
  'agent.too-many': ['too-many', 'The agent request exceeds a limit on numbers or rates.'],
  'audit.invalid': ['invalid', 'The audit request breaks a rule. The message names the field and the rule.'],
  'body.invalid': ['invalid', 'The body breaks a rule. The message names the field and the rule.'],
  'body.too-large': ['too-large', 'The body exceeds a size limit.'],
  'body.unavailable': ['unavailable', 'The server has no memory or disk for the body now. Retry later.'],
  'catalog.coordinate-unknown': ['missing', 'The node has no coordinates.'],
  'catalog.invalid': [
    'invalid',
    'The catalog change or query breaks a rule. The message names the field and the rule.'
  ],
  'catalog.node-id-taken': ['invalid', 'A node of another partition has this ID.'],
  'catalog.node-name-taken': ['invalid', 'Another node has this name.'],
  'catalog.node-unknown': ['invalid', 'The node is not registered.'],
  'catalog.not-found': ['missing', 'The catalog change or query does not exist.'],
  'catalog.service-unknown': ['invalid', 'The service is not registered on the node.'],
  'cluster.denied': ['denied', 'The caller lacks the permission for the request between servers.'],
  'cluster.gone': ['gone', 'The data of the request between servers is no longer stored.'],
  'cluster.invalid': [
    'invalid',
    'The request between servers breaks a rule. The message names the field and the rule.'
  ],
  'cluster.join-denied': ['denied', 'The join token is unknown, expired, or used by another machine.'],
  'cluster.not-found': ['missing', 'The request between servers does not exist.'],
  'cluster.not-leader': ['not-leader', 'This server is not the leader. Nothing was changed.'],
  'cluster.outcome-unknown': ['unknown', 'The request between servers may have been applied or not.'],
  'cluster.unavailable': [
    'unavailable',
    'The request between servers is unavailable now. Nothing was changed; retry later.'
  ],
  'changes.invalid': ['invalid', 'The change set breaks a rule. The message names the field and the rule.'],
  'changes.not-found': ['missing', 'No commit of the change set is known.'],
  'changes.other-owner': ['conflict', 'A resource of the change set belongs to another owner.'],
  'changes.stale': ['conflict', 'A resource of the change set changed since. The message names it.'],
  'changes.too-large': ['too-large', 'The change set has more changes than one commit may have.'],
  'config.invalid': [
    'invalid',
    'The configuration entry breaks a rule. The message names the field and the rule.'
  ],
  'config.not-found': ['missing', 'The configuration entry does not exist.'],
  'cursor.conflict': ['conflict', 'Another reader has taken the cursor over, or its events were changed.'],
  'cursor.invalid': ['invalid', 'The cursor breaks a rule. The message names the field and the rule.'],
  'cursor.not-found': ['missing', 'The cursor does not exist.'],
  'cursor.too-many': ['conflict', 'The cursor exceeds a limit on numbers or rates.'],
  'cursor.unavailable': ['unavailable', 'The cursor is unavailable now. Nothing was changed; retry later.'],
  'datacenter.denied': ['denied', 'The caller lacks the permission for the request between datacenters.'],
  'datacenter.invalid': [
    'invalid',
    'The request between datacenters breaks a rule. The message names the field and the rule.'
  ],
  'datacenter.outcome-unknown': ['unknown', 'The request between datacenters may have been applied or not.'],
  'datacenter.too-many': ['too-many', 'The request between datacenters exceeds a limit on numbers or rates.'],
  'datacenter.unavailable': [
    'unavailable',
    'The request between datacenters is unavailable now. Nothing was changed; retry later.'
  ],
  'datacenter.unknown': ['invalid', 'No datacenter has this name.'],
  'datacenter.unreachable': ['unreachable', 'The other datacenter is unreachable. Nothing was changed.'],
  'discovery-chain.invalid': [
    'invalid',
    'The discovery chain breaks a rule. The message names the field and the rule.'
  ],
  'erasure.conflict': ['conflict', 'The current state forbids the erasure.'],
  'erasure.held': ['conflict', 'A legal hold covers what the erasure would erase.'],
  'erasure.invalid': ['invalid', 'The erasure breaks a rule. The message names the field and the rule.'],
  'erasure.not-found': ['missing', 'The erasure does not exist.'],
  'evidence.gone': ['gone', 'The data of the evidence request is no longer stored.'],
  'evidence.invalid': [
    'invalid',
    'The evidence request breaks a rule. The message names the field and the rule.'
  ],
  'evidence.not-found': ['missing', 'The evidence request does not exist.'],
  'evidence.unavailable': [
    'unavailable',
    'The evidence request is unavailable now. Nothing was changed; retry later.'
  ],
  'history.erased': ['gone', 'The requested version was erased.'],
  'history.invalid': [
    'invalid',
    'The time travel or history breaks a rule. The message names the field and the rule.'
  ],
  'history.not-found': ['missing', 'The log knows no resource of this name.'],
  'history.pruned': ['gone', 'The requested index is no longer retained.'],
  'history.too-many': ['too-many', 'The time travel or history exceeds a limit on numbers or rates.'],
  'hold.changed': ['conflict', 'A legal hold was placed or lifted meanwhile. Repeat the request.'],
  'hold.invalid': ['invalid', 'The legal hold breaks a rule. The message names the field and the rule.'],
  'hold.not-found': ['missing', 'The legal hold does not exist.'],
  'hold.too-many': ['conflict', 'The legal hold exceeds a limit on numbers or rates.'],
  'idempotency.gone': ['gone', 'The stored response of the first request is gone.'],
  'idempotency.invalid': [
    'invalid',
    'The idempotency key breaks a rule. The message names the field and the rule.'
  ],
  'idempotency.mismatch': ['mismatch', 'The idempotency key was used with another body.'],
  'idempotency.outcome-unknown': ['unknown', 'The first request with this key has not ended.'],
  'idempotency.too-many': ['too-many', 'Too many idempotency keys are stored.'],
  'intention.invalid': ['invalid', 'The intention breaks a rule. The message names the field and the rule.'],
  'intention.not-found': ['missing', 'The intention does not exist.'],
  'kv.conflict': ['conflict', 'The key has another index, or another session holds its lock.'],
  'kv.invalid': ['invalid', 'The key breaks a rule. The message names the field and the rule.'],
  'kv.not-found': ['missing', 'The key does not exist.'],
  'kv.too-large': ['too-large', 'The key exceeds a size limit.'],
  'log.damaged': ['internal', 'A file of the log is damaged. The log of the server names it.'],
  'log.invalid': ['invalid', 'The log breaks a rule. The message names the field and the rule.'],
  'log.leader-lost': ['unknown', 'The leader was lost during the write, which may be stored or not.'],
  'log.outcome-unknown': ['unknown', 'The log failed during the write, which may be stored or not.'],
  'log.unavailable': ['unavailable', 'The log cannot be written or read now.'],
  'namespace.built-in': ['invalid', 'The namespace `default` cannot be deleted.'],
  'namespace.invalid': ['invalid', 'The namespace breaks a rule. The message names the field and the rule.'],
  'namespace.not-found': ['missing', 'The namespace does not exist.'],
  'operator.invalid': [
    'invalid',
    'The operator request breaks a rule. The message names the field and the rule.'
  ],
  'partition.built-in': ['invalid', 'The partition `default` cannot be deleted.'],
  'partition.not-found': ['missing', 'The partition does not exist.'],
  'query.invalid': ['invalid', 'The prepared query breaks a rule. The message names the field and the rule.'],
  'query.name-taken': ['invalid', 'Another prepared query has this name or ID.'],
  'query.not-found': ['missing', 'The prepared query does not exist.'],
  'replica.read-only': [
    'method',
    'This server is a replica. Nothing was changed; send the request to its source.'
  ],
  'read.filter-invalid': ['invalid', 'The filter expression is invalid.'],
  'read.invalid': ['invalid', 'The read breaks a rule. The message names the field and the rule.'],
  'read.unavailable': ['unavailable', 'The read is unavailable now. Nothing was changed; retry later.'],
  'request.connections-exhausted': ['unavailable', 'The server has as many connections as its limit allows.'],
  'request.expectation-unsupported': [
    'expectation',
    'The server supports no other expectation than 100-continue.'
  ],
  'request.failed': ['internal', 'The server failed. Its log has the reason.'],
  'request.headers-too-large': ['headers-too-large', 'The headers exceed a size limit.'],
  'request.host-unknown': ['misdirected', 'The host of the request is not a name of this server.'],
  'request.invalid': ['invalid', 'The request breaks a rule. The message names the field and the rule.'],
  'request.method-unknown': ['method', 'The path has no such method.'],
  'request.origin-denied': ['denied', 'The origin of the request may not send writes or open WebSockets.'],
  'request.parameter-unknown': ['invalid', 'The endpoint has no such query parameter.'],
  'request.path-unknown': ['missing', 'No endpoint or page has this path.'],
  'request.reason-invalid': ['invalid', 'The reason is malformed.'],
  'request.reason-required': ['invalid', 'The write needs a reason.'],
  'request.sender-unproved': ['denied', 'Another server did not prove that it belongs to the cluster.'],
  'request.timeout': ['timeout', 'The request did not arrive in time.'],
  'request.too-many-connections': ['too-many', 'The client has as many connections as its limit allows.'],
  'request.too-many-failures': ['too-many', 'Too many failed tokens or logins came from one address.'],
  'request.unavailable': ['unavailable', 'The request is unavailable now. Nothing was changed; retry later.'],
  'request.upgrade-unsupported': ['unsupported', 'WebSockets need a server that runs on Node 24.9 or later.'],
  'revert.conflict': ['conflict', 'The current state forbids the revert.'],
  'revert.invalid': ['invalid', 'The revert breaks a rule. The message names the field and the rule.'],
  'session.check-critical': ['invalid', 'A check of the session is critical.'],
  'session.check-unknown': ['invalid', 'A check of the session is not registered.'],
  'session.invalid': ['invalid', 'The session breaks a rule. The message names the field and the rule.'],
  'session.node-unknown': ['invalid', 'The node of the session is not registered.'],
  'session.not-found': ['missing', 'The session does not exist.'],
  'snapshot.conflict': ['conflict', 'The current state forbids the snapshot.'],
  'snapshot.invalid': ['invalid', 'The snapshot breaks a rule. The message names the field and the rule.'],
  'snapshot.too-large': ['too-large', 'The snapshot exceeds a size limit.'],
  'snapshot.too-many': ['too-many', 'The snapshot exceeds a limit on numbers or rates.'],
  'snapshot.unavailable': [
    'unavailable',
    'The snapshot is unavailable now. Nothing was changed; retry later.'
  ],
  'stream.conflict': ['conflict', 'The current state forbids the subscription.'],
  'stream.denied': ['denied', 'The anonymous token cannot use cursors.'],
  'stream.invalid': ['invalid', 'The subscription breaks a rule. The message names the field and the rule.'],
  'stream.message-invalid': ['invalid', 'The WebSocket message is malformed.'],
  'stream.not-found': ['missing', 'The subscription does not exist.'],
  'stream.too-many': ['too-many', 'The subscription exceeds a limit on numbers or rates.'],
  'tenancy.deleting': ['conflict', 'The namespace or partition is being deleted.'],
  'tenancy.invalid': [
    'invalid',
    'The namespace or partition breaks a rule. The message names the field and the rule.'
  ],
  'tenancy.unknown': ['invalid', 'The namespace or partition does not exist.'],
  'txn.conflict': ['conflict', 'The current state forbids the transaction.'],
  'txn.denied': ['denied', 'The caller lacks the permission for the transaction.'],
  'txn.invalid': ['invalid', 'The transaction breaks a rule. The message names the field and the rule.'],
  'txn.too-large': ['too-large', 'The transaction exceeds a size limit.'],
  'user-event.invalid': ['invalid', 'The user event breaks a rule. The message names the field and the rule.']
} as const satisfies Readonly<Record<string, readonly [kind: RefusalKind, meaning: string]>>

export type RefusalCode = keyof typeof REFUSALS
