! The same cluster as g6_cluster.c from Fortran, with calls as Fortran programs have them: no interfaces, no module.
!   g6_cluster N [host]
module cluster
  implicit none
  integer, parameter :: dp = kind(1d0), most = 1024
  real(dp), parameter :: eps2 = 1d0 / 4096, eta = 0.01d0, dt_most = 0.125d0, t_end = 1
  integer :: n, ni, blk(most)
  logical :: on_host
  real(dp) :: m(most), t(most) = 0, dt(most) = 0
  real(dp), dimension(3, most) :: x, v, a = 0, jerk = 0, xi, vi, acc = 0, jrk = 0
  real(dp) :: pot(most) = 0
  integer(8) :: state = 12345
contains

  ! The generator of C's unsigned numbers: products modulo 2^64, and a logical shift.
  real(dp) function uniform()
    state = state * 6364136223846793005_8 + 1442695040888963407_8
    uniform = (real(ishft(state, -11), dp) + 0.5d0) / 9007199254740992d0
  end function

  subroutine on_sphere(r, p)
    real(dp), intent(in) :: r
    real(dp), intent(out) :: p(3)
    real(dp) :: z, phi, s
    z = 2 * uniform() - 1
    phi = 6.283185307179586d0 * uniform()
    s = sqrt(1 - z * z)
    p = [r * s * cos(phi), r * s * sin(phi), r * z]
  end subroutine

  subroutine plummer()
    real(dp), parameter :: length = 3 * 3.141592653589793d0 / 16
    real(dp) :: r, q, g
    integer :: k, d
    do k = 1, n
      do
        r = 1 / sqrt(uniform()**(-2d0 / 3) - 1)
        if (r <= 10) exit
      end do
      do
        q = uniform()
        g = 0.1d0 * uniform()
        if (g <= q * q * (1 - q * q)**3.5d0) exit
      end do
      m(k) = 1d0 / n
      call on_sphere(length * r, x(:, k))
      call on_sphere(q * sqrt(2d0) * (1 + r * r)**(-0.25d0) / sqrt(length), v(:, k))
    end do
    do d = 1, 3
      x(d, :n) = x(d, :n) - sum(m(:n) * x(d, :n))
      v(d, :n) = v(d, :n) - sum(m(:n) * v(d, :n))
    end do
  end subroutine

  subroutine predict(k, now, xp, vp)
    integer, intent(in) :: k
    real(dp), intent(in) :: now
    real(dp), intent(out) :: xp(3), vp(3)
    real(dp) :: h
    h = now - t(k)
    xp = x(:, k) + h * (v(:, k) + h / 2 * (a(:, k) + h / 3 * jerk(:, k)))
    vp = v(:, k) + h * (a(:, k) + h / 2 * jerk(:, k))
  end subroutine

  subroutine forces_of_host(now)
    real(dp), intent(in) :: now
    real(dp), save :: xj(3, most), vj(3, most)
    real(dp) :: dx(3), dv(3), r2, m_r
    integer :: i, k
    do k = 1, n
      call predict(k, now, xj(:, k), vj(:, k))
    end do
    do i = 1, ni
      acc(:, i) = 0
      jrk(:, i) = 0
      pot(i) = 0
      do k = 1, n
        if (k == blk(i)) cycle
        dx = xj(:, k) - xi(:, i)
        dv = vj(:, k) - vi(:, i)
        r2 = sum(dx * dx) + eps2
        m_r = m(k) / sqrt(r2)
        pot(i) = pot(i) - m_r
        acc(:, i) = acc(:, i) + m_r / r2 * dx
        jrk(:, i) = jrk(:, i) + m_r / r2 * (dv - 3 * sum(dx * dv) / r2 * dx)
      end do
    end do
  end subroutine

  subroutine send(k)
    integer, intent(in) :: k
    real(dp) :: a2(3), j6(3), none(3)
    none = 0
    a2 = a(:, k) / 2
    j6 = jerk(:, k) / 6
    call g6_set_j_particle(0, k - 1, k, t(k), dt(k), m(k), none, j6, a2, v(1, k), x(1, k))
  end subroutine

  subroutine forces_of_g6(now)
    real(dp), intent(in) :: now
    real(dp), save :: h2(most) = 0
    integer :: g6_npipes, g6calc_lasthalf, pipes, k, count
    external :: g6_npipes, g6calc_lasthalf
    pipes = g6_npipes()
    call g6_set_ti(0, now)
    do k = 1, ni, pipes
      count = min(pipes, ni - k + 1)
      call g6calc_firsthalf(0, n, count, blk(k), xi(1, k), vi(1, k), acc(1, k), jrk(1, k), pot(k), eps2, h2)
      if (g6calc_lasthalf(0, n, count, blk(k), xi(1, k), vi(1, k), eps2, h2, acc(1, k), jrk(1, k), pot(k)) /= 0) &
        error stop 'g6calc_lasthalf failed'
    end do
  end subroutine

  subroutine forces(now)
    real(dp), intent(in) :: now
    integer :: i
    do i = 1, ni
      call predict(blk(i), now, xi(:, i), vi(:, i))
    end do
    if (on_host) then
      call forces_of_host(now)
    else
      call forces_of_g6(now)
    end if
  end subroutine

  real(dp) function power_of_two(step)
    real(dp), intent(in) :: step
    power_of_two = dt_most
    do while (power_of_two > step)
      power_of_two = power_of_two / 2
    end do
  end function

  subroutine correct(i, now)
    integer, intent(in) :: i
    real(dp), intent(in) :: now
    real(dp) :: h, da(3), a2(3), a3(3), wanted
    integer :: k
    k = blk(i)
    h = dt(k)
    da = a(:, k) - acc(:, i)
    a2 = (-6 * da - h * (4 * jerk(:, k) + 2 * jrk(:, i))) / h**2
    a3 = (12 * da + 6 * h * (jerk(:, k) + jrk(:, i))) / h**3
    x(:, k) = xi(:, i) + h**4 * (a2 / 24 + h * a3 / 120)
    v(:, k) = vi(:, i) + h**3 * (a2 / 6 + h * a3 / 24)
    a2 = a2 + h * a3
    a(:, k) = acc(:, i)
    jerk(:, k) = jrk(:, i)
    wanted = sqrt(eta * (norm2(a(:, k)) * norm2(a2) + sum(jerk(:, k)**2)) / (norm2(jerk(:, k)) * norm2(a3) + sum(a2**2)))
    t(k) = now
    if (wanted < h) then
      dt(k) = power_of_two(wanted)
    else if (wanted >= 2 * h .and. 2 * h <= dt_most .and. mod(now, 2 * h) == 0) then
      dt(k) = 2 * h
    end if
  end subroutine

  real(dp) function energy(now)
    real(dp), intent(in) :: now
    integer :: k
    ni = n
    do k = 1, n
      blk(k) = k
      call predict(k, now, xi(:, k), vi(:, k))
    end do
    call forces_of_host(now)
    energy = 0
    do k = 1, n
      energy = energy + m(k) * (pot(k) + sum(vi(:, k)**2)) / 2
    end do
  end function
end module

program g6_cluster
  use cluster
  implicit none
  character(len=32) :: word
  integer :: i, k, blocks = 0, steps = 0
  real(dp) :: e0, e, now = 0
  call get_command_argument(1, word)
  read (word, *) n
  if (n < 2 .or. n > most) error stop 'expected a number of particles'
  call get_command_argument(2, word)
  on_host = word == 'host'
  if (.not. on_host) then
    call g6_open(0)
    call g6_set_tunit(48)
    call g6_set_xunit(48)
  end if
  call plummer()
  e0 = energy(0d0)
  if (.not. on_host) then
    do k = 1, n
      call send(k)
    end do
  end if
  call forces(0d0)
  do k = 1, n
    a(:, k) = acc(:, k)
    jerk(:, k) = jrk(:, k)
    dt(k) = power_of_two(eta / 2 * norm2(a(:, k)) / norm2(jerk(:, k)))
    if (.not. on_host) call send(k)
  end do
  do while (now < t_end)
    now = min(t_end, minval(t(:n) + dt(:n)))
    ni = 0
    do k = 1, n
      if (t(k) + dt(k) /= now) cycle
      ni = ni + 1
      blk(ni) = k
    end do
    call forces(now)
    do i = 1, ni
      call correct(i, now)
    end do
    do i = 1, ni
      if (.not. on_host) call send(blk(i))
    end do
    blocks = blocks + 1
    steps = steps + ni
  end do
  e = energy(now)
  if (.not. on_host) call g6_close(0)
  print '(i0, 1x, es24.16, 1x, es10.3, 1x, i0, 1x, i0)', n, e, (e - e0) / abs(e0), blocks, steps
end program
