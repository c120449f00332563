//! Loops compiled for the CPU that runs them.
//!
//! The binary is built for the baseline of its architecture. [`vectorize`] and [`Kernel`]
//! compile the same Rust loop once per [`Level`] and choose at run time, so that ordinary
//! safe code gets 256- or 512-bit registers.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// A set of CPU features that loops are compiled for. Levels are ordered: a later one is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What every CPU of the target has: SSE2 on x86-64, NEON on aarch64.
    Baseline = 1,
    /// x86-64 with AVX2, BMI1, BMI2 and products of polynomials (PCLMULQDQ).
    Avx2 = 2,
    /// x86-64 with AVX-512 F, BW, DQ and VL besides.
    Avx512 = 3,
}

/// The level that was found, or 0 before the first look.
static LEVEL: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// Gives the best level of this CPU. It costs one relaxed load after the first call.
    #[inline(always)]
    #[must_use]
    pub fn best() -> Level {
        match LEVEL.load(Ordering::Relaxed) {
            1 => Level::Baseline,
            2 => Level::Avx2,
            3 => Level::Avx512,
            _ => Level::detect(),
        }
    }

    /// Gives all levels that this CPU has, slowest first.
    #[must_use]
    pub fn available() -> Vec<Level> {
        let all = [Level::Baseline, Level::Avx2, Level::Avx512];
        all.into_iter().filter(|l| *l <= Level::best()).collect()
    }

    #[cold]
    fn detect() -> Level {
        let level = detect();
        LEVEL.store(level as u8, Ordering::Relaxed);
        level
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("bmi1") && has!("bmi2") && has!("pclmulqdq")) {
        return Level::Baseline;
    }
    if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
        return Level::Avx512;
    }
    Level::Avx2
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}

/// A loop to be compiled once per [`Level`].
///
/// Mark [`run`](Kernel::run), and what it calls in its inner loops, `#[inline(always)]`:
/// code that is not inlined keeps the baseline's features.
pub trait Kernel {
    /// The type that the loop returns.
    type Output;
    /// Whether it is worth compiling for AVX-512 too. Loops over memory gain little from it.
    const AVX512: bool = false;
    /// Runs the loop.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` compiled for the best level of this CPU.
#[inline(always)]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    // Builds that are compiled often and run little compile each loop once.
    #[cfg(debug_assertions)]
    return kernel.run();
    // SAFETY: this CPU has its best level.
    #[cfg(not(debug_assertions))]
    unsafe {
        dispatch(Level::best(), kernel)
    }
}

/// Runs `kernel` compiled for `level`, or for the best level of this CPU if that is lower.
#[inline(always)]
pub fn run_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    // SAFETY: no higher than the best level of this CPU.
    unsafe { dispatch(level.min(Level::best()), kernel) }
}

/// # Safety
/// This CPU has `level`.
#[inline(always)]
unsafe fn dispatch<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        Level::Baseline => kernel.run(),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller promises the features of this level.
        Level::Avx2 => unsafe { x86::avx2(kernel) },
        // Two levels are enough for builds that are compiled often; the kernels are the same.
        #[cfg(all(target_arch = "x86_64", debug_assertions))]
        // SAFETY: a higher level includes this one.
        Level::Avx512 => unsafe { x86::avx2(kernel) },
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        // SAFETY: a higher level includes this one.
        Level::Avx512 if !K::AVX512 => unsafe { x86::avx2(kernel) },
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        // SAFETY: as above.
        Level::Avx512 => unsafe { x86::avx512(kernel) },
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => kernel.run(),
    }
}

/// Runs `f` compiled for the best CPU features found at run time.
///
/// Mark the closure, and functions of your own that it calls in its inner loops,
/// `#[inline(always)]`: the compiler leaves a body of more than a few lines outside
/// otherwise, where it keeps the baseline's features. Iterate with `zip`, or cut the slices
/// to one length inside the closure, so that no bounds checks stand in the loop.
///
/// ```
/// # use tacit_ring::{simd, Word, Z2};
/// # let (a, b, mut c) = ([Z2(6); 64], [Z2(3); 64], [Z2(0); 64]);
/// simd::vectorize(
///     #[inline(always)]
///     || {
///         for ((c, a), b) in c.iter_mut().zip(&a).zip(&b) {
///             *c = c.add(a.mul(*b));
///         }
///     },
/// );
/// # assert_eq!(c[63], Z2(2));
/// ```
#[inline(always)]
pub fn vectorize<R>(f: impl FnOnce() -> R) -> R {
    run(Closure(f))
}

struct Closure<F>(F);

impl<R, F: FnOnce() -> R> Kernel for Closure<F> {
    type Output = R;
    #[inline(always)]
    fn run(self) -> R {
        (self.0)()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Kernel;

    #[target_feature(enable = "avx2,bmi1,bmi2,pclmulqdq")]
    pub(super) fn avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[cfg(not(debug_assertions))]
    #[target_feature(enable = "avx2,bmi1,bmi2,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fma<'a>(&'a [u64], &'a [u64], &'a mut [u64]);

    impl Kernel for Fma<'_> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for ((a, b), c) in self.0.iter().zip(self.1).zip(self.2) {
                *c = c.wrapping_add(a.wrapping_mul(*b));
            }
        }
    }

    #[test]
    fn every_level_computes_the_same() {
        let a: Vec<u64> = (0..1003u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let b: Vec<u64> = a.iter().map(|x| x.rotate_left(17)).collect();
        let mut want = a.clone();
        Fma(&a, &b, &mut want).run();
        for level in Level::available() {
            let mut got = a.clone();
            run_at(level, Fma(&a, &b, &mut got));
            assert_eq!(got, want, "{level:?}");
        }
        let sum = vectorize(|| a.iter().fold(0u64, |s, x| s ^ x));
        assert_eq!(sum, a.iter().fold(0u64, |s, x| s ^ x));
    }

    #[test]
    fn the_baseline_is_always_there_and_the_best_is_last() {
        let levels = Level::available();
        assert_eq!(levels.first(), Some(&Level::Baseline));
        assert_eq!(levels.last(), Some(&Level::best()));
    }
}
