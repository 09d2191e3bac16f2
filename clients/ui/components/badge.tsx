// A state in a word: <Badge tone="warn">stale</Badge>, or the status of a check: <Status of={check.Status} />.
import type { ComponentChildren } from 'preact'

/** What a state means for who looks; plain where it means nothing. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain'

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

const TONES: Readonly<Record<string, Tone>> = {
  passing: 'good',
  warning: 'warn',
  critical: 'bad',
  maintenance: 'warn'
}

/** The status of a check, in its colour. */
export const Status = ({ of }: { readonly of: string }) => <Badge tone={TONES[of] ?? 'plain'}>{of}</Badge>
