// Makes the events of ACL tokens.
import type { Tenancy } from '../../events/envelope.js'
import { TOKEN_TOPIC, type Token, type TokenDeleted, type TokenUpserted } from '../../events/token.js'
import { contentHash } from '../hash.js'
import { makeEvent } from '../make-event.js'

/** Everything of a token that does not follow from the rest. */
export type TokenContent = Omit<Token, 'Hash' | 'SecretID'>

/** `kind` is `management` for tokens made by a bootstrap, whose hash differs from that of an equal user's token. */
export const hashToken = (tenancy: Tenancy, token: TokenContent, kind: '' | 'management'): string =>
  contentHash([
    kind,
    token.Description,
    token.Rules ?? '',
    token.Local,
    token.Policies.map(link => link.ID),
    token.Roles.map(link => link.ID),
    token.ServiceIdentities,
    token.NodeIdentities,
    tenancy.partition,
    tenancy.namespace
  ])

const NONE: readonly string[] = []

const filterKeys = ({ AuthMethod, Policies, Roles }: TokenContent): readonly string[] => {
  if (AuthMethod === '' && Policies.length === 0 && Roles.length === 0) return NONE
  const keys = AuthMethod === '' ? [] : [AuthMethod]
  for (const { ID } of Policies) keys.push(ID)
  for (const { ID } of Roles) keys.push(ID)
  return keys
}

/** The secret travels apart from the payload. */
export const tokenUpserted = (
  tenancy: Tenancy,
  secret: string,
  content: TokenContent,
  kind: '' | 'management' = ''
): TokenUpserted =>
  makeEvent({
    Topic: TOKEN_TOPIC,
    Type: 'ACLTokenUpserted',
    Key: content.AccessorID,
    tenancy,
    FilterKeys: filterKeys(content),
    Payload: { ACLToken: { ...content, SecretID: '', Hash: hashToken(tenancy, content, kind) } },
    Secrets: { SecretID: secret }
  })

export const tokenDeleted = (tenancy: Tenancy, token: Token): TokenDeleted =>
  makeEvent({
    Topic: TOKEN_TOPIC,
    Type: 'ACLTokenDeleted',
    Key: token.AccessorID,
    tenancy,
    FilterKeys: filterKeys(token),
    Payload: { ACLToken: token }
  })
