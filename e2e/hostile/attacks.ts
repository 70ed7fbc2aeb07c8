import { previewSecrets } from './04-previewed-secrets.ts';
import { readTemplateSecrets } from './14-secrets-in-templates.ts';
import { readSecretFiles } from './18-readable-secret-files.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [previewSecrets, readTemplateSecrets, readSecretFiles];
