import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inject } from 'vitest';

// Whatever this process calls over TLS may present the emulator's certificate; it exists for this run only.
setDefaultCACertificates([...getCACertificates('default'), readFileSync(inject('run').certificate, 'utf8')]);
