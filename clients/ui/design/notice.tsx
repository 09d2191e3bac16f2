// Information: <Notice tone="warn">It expires in an hour.</Notice>. Failures use Refusal, which screen readers read at once.
import type { ComponentChildren } from 'preact'
import type { Tone } from './badge.js'

interface Props {
  readonly tone?: Tone
  readonly children: ComponentChildren
}

export const Notice = ({ tone = 'plain', children }: Props) => (
  <div class={`notice ${tone}`} role="note">
    {children}
  </div>
)

const DENIAL = /^Permission denied: token with AccessorID/
const TOKEN = /token with AccessorID '[^']*'/
const ANONYMOUS = /token with AccessorID '[0-]+2'/

/** Renders the reason of a failure, if any. A missing permission links to the page that explains it. */
export const Refusal = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p role="alert" class={DENIAL.test(text) ? 'notice' : 'refused'}>
      {text.replace(ANONYMOUS, 'the anonymous token').replace(TOKEN, 'this token')}{' '}
      {DENIAL.test(text) && <a href={`/ui/explain?${new URLSearchParams({ denial: text })}`}>Explain</a>}{' '}
      {ANONYMOUS.test(text) && <a href="/ui/sign-in">Sign in</a>}
    </p>
  )

interface RestrictedProps {
  /** The server's message about the missing permission; undefined if nothing is hidden. */
  readonly refusal: string | undefined
  /** What reading one of the resources requires, such as `key:read`. */
  readonly permission: string
}

export const Restricted = ({ refusal, permission }: RestrictedProps) =>
  refusal === undefined ? null : (
    <p role="note" class="quiet" title={refusal}>
      Resources that require '{permission}' are hidden from this token.{' '}
      <a href={`/ui/explain?${new URLSearchParams({ denial: refusal })}`}>Explain</a>
    </p>
  )
