import type { ComponentChildren } from 'preact'

/** Severity of a state; `plain` is neutral. */
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

export const Status = ({ of }: { readonly of: string }) => <Badge tone={TONES[of] ?? 'plain'}>{of}</Badge>
